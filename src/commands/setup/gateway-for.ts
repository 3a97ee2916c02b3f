import { z } from "zod";
import { startServer } from "../../app/start/start-server.js";
import type { Settings } from "../../config/settings.js";
import { CommandFailure } from "../line/command-failure.js";

const ANSWER_MS = 1_500;
const Health = z.looseObject({ version: z.string(), backend: z.string() });

interface GatewayForRun {
  readonly url: string;
  stop(): Promise<void>;
}

/** The gateway that answers there, or else one in this process, for as long as it is needed. */
export async function gatewayFor(
  url: string,
  settings: Settings,
  { mayStart }: { mayStart: boolean },
): Promise<GatewayForRun> {
  if (await answers(url)) return { url, stop: async () => {} };
  if (!mayStart) throw new CommandFailure(1, `No gateway answers at ${url}. Start it, or leave out --url to have one.`);
  // Any free port: nobody else is to rely on it. Silent: the screen belongs to the client.
  const server = await startServer(
    { ...settings, host: "127.0.0.1", port: 0, logLevel: "silent" },
    { orSimulate: false },
  );
  const hurry = AbortSignal.abort();
  const stop = () => server.stop(hurry);
  await server.ready.catch(async (failure: unknown) => {
    await stop();
    throw failure;
  });
  return { url: server.url, stop };
}

async function answers(url: string): Promise<boolean> {
  try {
    const reply = await fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_MS), redirect: "error" });
    return Health.safeParse(await reply.json()).success;
  } catch {
    return false;
  }
}
