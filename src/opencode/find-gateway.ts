import { z } from "zod";
import { version } from "../version.js";

/** The address of a gateway, and its key. */
export interface GatewayAddress {
  readonly url: string;
  readonly key: string | undefined;
}

const FIND_MS = 1_000;
const Health = z.looseObject({ status: z.literal("ok"), version: z.literal(version), backend: z.string() });

/** Whether a gateway of this version runs there, uses the real Cursor, and accepts our key. */
export async function isUsable({ url, key }: GatewayAddress): Promise<boolean> {
  const signal = AbortSignal.timeout(FIND_MS);
  try {
    const health = Health.safeParse(await (await fetch(`${url}/health`, { signal })).json());
    if (!health.success || health.data.backend === "simulator") return false;
    const models = await fetch(`${url}/v1/models`, { headers: keyHeader(key), signal });
    await models.body?.cancel();
    return models.ok;
  } catch {
    return false; // nothing listens there, or another program does
  }
}

export function keyHeader(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}
