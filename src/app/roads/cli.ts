import { type CliBackend, createCliBackend } from "../../backends/cli/index.js";
import { cliOnThisMachine } from "./cli-login.js";
import type { RoadParts } from "./road-parts.js";

export function openCli({ settings, log }: Pick<RoadParts, "settings" | "log">): CliBackend {
  return createCliBackend({
    ...cliOnThisMachine(settings),
    mode: settings.cliMode,
    workspaceRoots: settings.workspaceRoots,
    limits: { idleMs: settings.cliIdleMs },
    acpLimits: { noProgressMs: settings.cliIdleMs, stillRunningMs: settings.cliToolWaitMs },
    log,
  });
}
