import { type CliBackend, type CliBackendDeps, createCliBackend } from "../../src/backends/cli/index.js";
import { systemClock } from "../../src/clock.js";

type Changes = Partial<CliBackendDeps> & Pick<CliBackendDeps, "cliPath" | "temporaryFolder">;

/** The backend of the CLI as it is composed for users, but for what a test holds still or watches. */
export function makeCliBackend(changes: Changes): CliBackend {
  return createCliBackend({
    env: { PATH: process.env.PATH, HOME: changes.temporaryFolder },
    homeDirectory: changes.temporaryFolder,
    authCheckTimeoutMs: 5_000,
    workspaceRoots: [],
    clock: systemClock,
    log: { info() {}, warn() {} },
    ...changes,
  });
}
