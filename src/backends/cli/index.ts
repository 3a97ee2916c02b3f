import type { SentTurn } from "../../turn/turn.js";
import type { Backend, OwnLogin, StartContext } from "../backend.js";
import type { OpenBackend } from "../backend-parts.js";
import { type AcpLimits, createAcpRoad, defaultAcpLimits } from "./acp/index.js";
import { Cli, type CliDeps } from "./cli.js";
import type { FoundCli } from "./find-cli.js";
import { type CliLoginSettings, cliOn } from "./own-login.js";
import { PrintExchange, type PrintLimits } from "./print/exchange.js";

/** How turns go to the CLI: over ACP where print mode cannot serve them, always in print mode, or always over ACP. */
export type CliMode = "auto" | "print" | "acp";

const defaultPrintLimits: PrintLimits = { startMs: 20_000, idleMs: 120_000, totalMs: 60 * 60_000 };
/** From this build on, the servers of a session over ACP are known to be used. */
const FIRST_WITH_TOOLS = "2026.04.12";

export interface CliBackendDeps extends CliDeps {
  readonly mode?: CliMode;
  readonly limits?: Partial<PrintLimits>;
  readonly acpLimits?: Partial<AcpLimits>;
  /** Folders below which requests may name theirs. */
  readonly workspaceRoots: readonly string[];
}

export interface CliBackend extends Backend {
  /** Where it is and which; throws what a turn would meet if there is none. */
  find(): Promise<FoundCli>;
  /** Whether the CLI is logged in, as it says itself; known for a minute. */
  login(): Promise<OwnLogin>;
  /** Resolves when nothing of it runs any more. */
  close(): Promise<void>;
}

/** The road over Cursor's own CLI, with the login that the CLI has. */
export function createCliBackend(deps: CliBackendDeps): CliBackend {
  const { mode = "auto", workspaceRoots, clock, apiKey, authToken } = deps;
  const cli = new Cli(deps);
  const print = { cli, limits: { ...defaultPrintLimits, ...deps.limits }, workspaceRoots, clock };
  const hasKey = Boolean(apiKey || authToken);
  const acp = createAcpRoad({ cli, hasKey, workspaceRoots, limits: { ...defaultAcpLimits, ...deps.acpLimits }, clock });
  const needsAcp = (turn: SentTurn, { state }: StartContext) => {
    if (mode === "acp" || state !== undefined) return true; // only sessions over ACP leave a state
    if (mode === "print" || isBefore(cli.version, FIRST_WITH_TOOLS)) return false;
    return turn.tools.length > 0 || turn.messages.some(hasImage);
  };
  return {
    name: "cli",
    // Print mode has tools too: as text, in which the gateway finds the calls.
    can: {
      tools: true,
      images: mode !== "print",
      workspaces: true,
    },
    models: (signal) => cli.models(signal),
    start: (turn, context) =>
      needsAcp(turn, context) ? acp.start(turn, context) : new PrintExchange(turn, context, print),
    find: () => cli.find(),
    login: () => cli.login(),
    async close() {
      await acp.close();
      await cli.close();
    },
  };
}

/** A build that is not known yet, or tells no date, is taken for a new one. */
function isBefore(version: string | undefined, date: string): boolean {
  return version !== undefined && /^\d{4}\.\d{2}\.\d{2}/.test(version) && version < date;
}

function hasImage(message: SentTurn["messages"][number]): boolean {
  if (message.role === "assistant") return false;
  const blocks = message.role === "user" ? message.content : message.results.flatMap(({ content }) => content);
  return blocks.some(({ type }) => type === "image");
}

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
