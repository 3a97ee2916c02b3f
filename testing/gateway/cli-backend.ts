import type { Backend } from "../../packages/gateway/backends/backend.js";
import type { CliDeps } from "../../packages/gateway/backends/cli/cli.js";
import { type CliBackendDeps, type CliSettings, createCliBackend } from "../../packages/gateway/backends/cli/index.js";
import { systemClock } from "../../packages/gateway/system/clock.js";

/** The parts that a test controls or watches; everything else is as users get it. */
export interface CliChanges extends Partial<CliSettings>, Partial<Omit<CliBackendDeps, "settings" | "machine">> {
  readonly temporaryFolder: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export function makeCliBackend(changes: CliChanges): Backend {
  return createCliBackend(cliParts(changes));
}

export function cliParts({ env: set, clock = systemClock, log, limits, acpLimits, ...rest }: CliChanges) {
  const { temporaryFolder, ...settings } = rest;
  return {
    settings: {
      cliPath: undefined,
      apiKey: undefined,
      authToken: undefined,
      authCheckTimeoutMs: 60_000,
      cliMode: "auto",
      cliIdleMs: 120_000,
      cliToolWaitMs: 50_000,
      workspaceRoots: [],
      ...settings,
    },
    machine: {
      env: set ?? { PATH: process.env.PATH, HOME: temporaryFolder },
      platform: process.platform,
      homeDirectory: temporaryFolder,
    },
    temporaryFolder,
    clock,
    log: log ?? { info() {}, warn() {} },
    ...(limits && { limits }),
    ...(acpLimits && { acpLimits }),
  } satisfies CliDeps<CliSettings>;
}
