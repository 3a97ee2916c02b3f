import type { SentTurn } from "../../turn/turn.js";
import type { Backend, StartContext } from "../backend.js";
import type { OpenBackend } from "../backend-parts.js";
import { type AcpLimits, createAcpRunner, defaultAcpLimits } from "./acp/index.js";
import { Cli, type CliDeps, type CliLoginSettings } from "./cli.js";
import { PrintExchange, type PrintLimits } from "./print/exchange.js";
import { blocksOf } from "./prompt.js";

const defaultPrintLimits: PrintLimits = { startMs: 20_000, idleMs: 120_000, totalMs: 60 * 60_000 };
/** The first build that is known to use the MCP servers of an ACP session (docs/protocol/wire.md, command line). */
const FIRST_WITH_TOOLS = "2026.04.12";

export interface CliSettings extends CliLoginSettings {
  /** `auto` uses ACP where print mode cannot serve a turn. */
  readonly cliMode: "auto" | "print" | "acp";
  readonly cliIdleMs: number;
  readonly cliToolWaitMs: number;
  readonly workspaceRoots: readonly string[];
}

export interface CliBackendDeps extends CliDeps<CliSettings> {
  readonly limits?: Partial<PrintLimits>;
  readonly acpLimits?: Partial<AcpLimits>;
}

export function createCliBackend(deps: CliBackendDeps): Backend {
  const { clock, settings } = deps;
  const { cliMode: mode, cliIdleMs, cliToolWaitMs, workspaceRoots } = settings;
  const cli = new Cli(deps);
  const shared = { cli, workspaceRoots, clock };
  const print = { ...shared, limits: { ...defaultPrintLimits, idleMs: cliIdleMs, ...deps.limits } };
  const ofSettings = { noProgressMs: cliIdleMs, stillRunningMs: cliToolWaitMs };
  const acpDeps = { ...shared, limits: { ...defaultAcpLimits, ...ofSettings, ...deps.acpLimits } };
  let knowsAcp = true;
  const inPrintMode = (turn: SentTurn, context: StartContext) => {
    knowsAcp = false;
    return new PrintExchange(turn, context, print);
  };
  const acp = createAcpRunner(acpDeps, mode === "acp" ? undefined : inPrintMode);
  const needsAcp = (turn: SentTurn, { state }: StartContext) => {
    if (mode === "acp" || state !== undefined) return true; // only ACP sessions have a state
    // A build that is not known yet, or whose version has no date, counts as new.
    const isOld = /^\d{4}\.\d{2}\.\d{2}/.test(cli.version ?? "") && (cli.version ?? "") < FIRST_WITH_TOOLS;
    if (mode === "print" || isOld || !knowsAcp) return false;
    return turn.tools.length > 0 || turn.messages.flatMap(blocksOf).some(({ type }) => type === "image");
  };
  return {
    name: "cli",
    // Print mode has tools too: as text, in which the gateway finds the calls.
    can: { tools: true, images: mode !== "print", workspaces: true },
    models: (signal) => cli.models(signal),
    start: (turn, context) =>
      needsAcp(turn, context) ? acp.start(turn, context) : new PrintExchange(turn, context, print),
    login: () => cli.login(),
    async close() {
      await acp.close();
      await cli.close();
    },
  };
}

export const open: OpenBackend<CliSettings> = (parts) => () => createCliBackend(parts);
