import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { flag, oneOf, type Rule, text, whole, words } from "../option-rule.js";

/** How this `cursor-agent` behaves beyond what the prompt says. */
export interface Scenario {
  readonly version: string;
  readonly loggedIn: boolean;
  /** `models` lists them whether there is a login or not, as early builds did. */
  readonly modelsForAll: boolean;
  readonly email: string;
  /** Colours, as on a terminal. */
  readonly ansi: boolean;
  /** A build of January 2026: no `--format`, no usage, sparse tool events. */
  readonly oldBuild: boolean;
  readonly usage: boolean;
  /** Events come on stderr too. */
  readonly stderrMirror: boolean;
  /** Print mode ends with this on stderr before anything else, as with a locked keychain. */
  readonly refusal: string;
  readonly startMs: number;
  readonly deltaMs: number;
  /** Commands, or methods of ACP, that never come back. */
  readonly hangs: readonly string[];
  /** Model ids; empty means the simulator's list. */
  readonly models: readonly string[];

  readonly flush: "segment" | "whole";
  /** The connection breaks after the first answer, and what was said is said again. */
  readonly retry: boolean;
  /** Raw lines between the echo of the prompt and the answer. */
  readonly noise: readonly string[];
  readonly hugeLineBytes: number;
  /** Every write ends in the middle of a character where there is one. */
  readonly splitUtf8: boolean;
  readonly twoPerLine: boolean;

  readonly end: "result" | "no-result" | "error-result" | "usage-limit" | "free-plan" | "cut";
  readonly hangAfterResult: boolean;
  readonly ignoresTerm: boolean;
  readonly leavesChild: boolean;

  /** MCP servers need an entry in the approval file. */
  readonly mcpApprovals: boolean;
  readonly mcpTimeoutMs: number;
  /** Servers of `session/new` are ignored without a word. */
  readonly mcpIgnored: boolean;
  /** What ACP shows of an MCP call: who is called, or nothing. */
  readonly mcpTitles: "named" | "anonymous";
  /** Failures of a turn: the last words of the answer, or an error of the request. */
  readonly acpErrors: "inline" | "rpc";
  /** Requests of Cursor's own that each prompt begins with, such as `cursor/update_todos`. */
  readonly acpExtensions: readonly string[];
  /** How long `authenticate` waits for a browser when there is no login. */
  readonly authenticateMs: number;
  /** A cancelled prompt is followed by words that were on their way. */
  readonly lateUpdates: boolean;
  readonly loadFails: boolean;
}

const rules: { readonly [Name in keyof Scenario]: Rule<Scenario[Name]> } = {
  version: text(),
  loggedIn: flag(),
  modelsForAll: flag(),
  email: text(),
  ansi: flag(),
  oldBuild: flag(),
  usage: flag(),
  stderrMirror: flag(),
  refusal: text(),
  startMs: whole(0, 600_000),
  deltaMs: whole(0, 600_000),
  hangs: words(),
  models: words(),
  flush: oneOf("segment", "whole"),
  retry: flag(),
  noise: words(),
  hugeLineBytes: whole(0, 64 * 1024 * 1024),
  splitUtf8: flag(),
  twoPerLine: flag(),
  end: oneOf("result", "no-result", "error-result", "usage-limit", "free-plan", "cut"),
  hangAfterResult: flag(),
  ignoresTerm: flag(),
  leavesChild: flag(),
  mcpApprovals: flag(),
  mcpTimeoutMs: whole(1, 3_600_000),
  mcpIgnored: flag(),
  mcpTitles: oneOf("named", "anonymous"),
  acpErrors: oneOf("inline", "rpc"),
  acpExtensions: words(),
  authenticateMs: whole(0, 3_600_000),
  lateUpdates: flag(),
  loadFails: flag(),
};

const defaultScenario: Scenario = {
  version: "2026.10.01-e373342",
  loggedIn: true,
  modelsForAll: false,
  email: "person@example.com",
  ansi: false,
  oldBuild: false,
  usage: true,
  stderrMirror: false,
  refusal: "",
  startMs: 0,
  deltaMs: 0,
  hangs: [],
  models: [],
  flush: "segment",
  retry: false,
  noise: [],
  hugeLineBytes: 0,
  splitUtf8: false,
  twoPerLine: false,
  end: "result",
  hangAfterResult: false,
  ignoresTerm: false,
  leavesChild: false,
  mcpApprovals: true,
  mcpTimeoutMs: 60_000,
  mcpIgnored: false,
  mcpTitles: "named",
  acpErrors: "inline",
  acpExtensions: [],
  authenticateMs: 600_000,
  lateUpdates: true,
  loadFails: false,
};

export function parseScenario(json: unknown): Scenario {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new Error("A scenario is a JSON object.");
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(json)) {
    const rule = Object.hasOwn(rules, name) ? rules[name as keyof Scenario] : undefined;
    if (rule === undefined) throw new Error(`A scenario has no "${name}".`);
    read[name] = rule.read(value);
    if (read[name] === undefined) throw new Error(`"${name}" must be ${rule.wants}.`);
  }
  return { ...defaultScenario, ...read };
}

export function readScenario(path: string | undefined): Scenario {
  if (path === undefined || !existsSync(path)) return defaultScenario;
  return parseScenario(JSON.parse(readFileSync(path, "utf8")));
}

/** `login` and `logout` last: the scenario file is the only account there is. */
export function storeLogin(path: string | undefined, loggedIn: boolean): void {
  if (path === undefined) return;
  const json = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as object) : {};
  writeFileSync(path, JSON.stringify({ ...json, loggedIn }));
}
