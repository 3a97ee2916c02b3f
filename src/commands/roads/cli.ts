import { tmpdir } from "node:os";
import { type CliBackend, createCliBackend } from "../../backends/cli/index.js";
import { systemClock } from "../../clock.js";
import { thisMachine } from "../../config/machine.js";
import type { RoadParts } from "./road-parts.js";

interface CliParts extends Pick<RoadParts, "settings"> {
  readonly log: Pick<RoadParts["log"], "info" | "warn">;
}

export function openCli({ settings, log }: CliParts): CliBackend {
  const { env, homeDirectory } = thisMachine();
  return createCliBackend({
    cliPath: settings.cliPath,
    mode: settings.cliMode,
    apiKey: settings.apiKey,
    authToken: settings.authToken,
    env,
    homeDirectory,
    temporaryFolder: tmpdir(),
    authCheckTimeoutMs: settings.authCheckTimeoutMs,
    workspaceRoots: settings.workspaceRoots,
    limits: { idleMs: settings.cliIdleMs },
    acpLimits: { noProgressMs: settings.cliIdleMs, stillRunningMs: settings.cliToolWaitMs },
    clock: systemClock,
    log,
  });
}

/** Whether the CLI of this machine says that it is logged in. One that is not there, or does not say, is not. */
export async function isCliLoggedIn(settings: RoadParts["settings"]): Promise<boolean> {
  const cli = openCli({ settings, log: { info() {}, warn() {} } });
  try {
    return (await cli.login()) === "logged-in";
  } catch {
    return false;
  } finally {
    await cli.close();
  }
}
