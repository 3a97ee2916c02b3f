import { z } from "zod";

const Health = z.looseObject({
  version: z.string(),
  backend: z.string(),
  backends: z
    .record(z.string(), z.looseObject({ state: z.string(), lastError: z.looseObject({ code: z.string() }).nullable() }))
    .default({}),
});

/** What the gateway that answers there says of itself; undefined if none does. It is asked without the key: who knows who listens there. */
export async function runningGateway(url: string, timeoutMs: number): Promise<z.infer<typeof Health> | undefined> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
    return Health.parse(await response.json());
  } catch {
    return undefined;
  }
}
