import type { Backend } from "../backend.js";
import { Cli, type CliDeps } from "./cli.js";
import type { FoundCli } from "./find-cli.js";
import { PrintExchange, type PrintLimits } from "./print-exchange.js";
import type { CliLogin } from "./status.js";

export type { CliLogin } from "./status.js";

export const defaultPrintLimits: PrintLimits = { startMs: 20_000, idleMs: 120_000, totalMs: 60 * 60_000 };

export interface CliBackendDeps extends CliDeps {
  readonly limits?: Partial<PrintLimits>;
  /** Folders below which requests may name theirs. */
  readonly workspaceRoots: readonly string[];
}

export interface CliBackend extends Backend {
  /** Where it is and which; throws what a turn would meet if there is none. */
  find(): Promise<FoundCli>;
  /** Whether the CLI is logged in, as it says itself; known for a minute. */
  login(): Promise<CliLogin>;
  /** Resolves when nothing of it runs any more. */
  close(): Promise<void>;
}

/** The road over Cursor's own CLI, with the login that the CLI has. */
export function createCliBackend({ limits, workspaceRoots, ...deps }: CliBackendDeps): CliBackend {
  const cli = new Cli(deps);
  const print = { cli, limits: { ...defaultPrintLimits, ...limits }, workspaceRoots, clock: deps.clock };
  return {
    name: "cli",
    // Tools come to the model as text, and its calls as text too: the gateway makes calls of those.
    can: { tools: true, images: false, thinking: true, parking: false, systemPrompt: true, workspaces: true },
    models: (signal) => cli.models(signal),
    start: (turn, context) => new PrintExchange(turn, context, print),
    find: () => cli.find(),
    login: () => cli.login(),
    close: () => cli.close(),
  };
}
