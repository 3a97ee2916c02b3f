import { z } from "zod";

const Health = z.looseObject({
  version: z.string(),
  backend: z.string(),
  conduct: z.string().default("usual"),
  updated: z.boolean().default(false),
  backends: z
    .record(z.string(), z.looseObject({ state: z.string(), lastError: z.looseObject({ code: z.string() }).nullable() }))
    .default({}),
});

/** Allows for a busy program; if none listens, the call fails at once. */
const ANSWER_MS = 1_500;

/** The health report of the gateway at this URL, if any. Sends no key, because another program may listen there. */
export async function runningGateway(url: string, timeoutMs = ANSWER_MS): Promise<z.infer<typeof Health> | undefined> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
    return Health.parse(await response.json());
  } catch {
    return undefined;
  }
}
