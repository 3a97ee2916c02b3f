import type { OpenBackend } from "../backend-parts.js";
import { type CliMode, createCliBackend } from "./index.js";
import { type CliLoginSettings, cliOn } from "./own-login.js";

interface CliSettings extends CliLoginSettings {
  readonly cliMode: CliMode;
  readonly cliIdleMs: number;
  readonly cliToolWaitMs: number;
  readonly workspaceRoots: readonly string[];
}

export const open: OpenBackend<CliSettings> = (parts) => {
  const { cliMode, cliIdleMs, cliToolWaitMs, workspaceRoots } = parts.settings;
  return () =>
    createCliBackend({
      ...cliOn(parts),
      mode: cliMode,
      workspaceRoots,
      limits: { idleMs: cliIdleMs },
      acpLimits: { noProgressMs: cliIdleMs, stillRunningMs: cliToolWaitMs },
      log: parts.log,
    });
};
