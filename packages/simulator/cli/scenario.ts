import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { flag, oneOf, type Rule, text, whole, words } from "../server/option-rule.js";

/** How this `cursor-agent` behaves beyond what the prompt says. */
export interface Scenario {
  /** The version it reports. */
  readonly version: string;
  /** Whether the CLI is signed in; `login` and `logout` change it. */
  readonly loggedIn: boolean;
  /** `models` lists models without a login too, as early builds did. */
  readonly modelsForAll: boolean;
  /** The email address of the login. */
  readonly email: string;
  /** Colours, as on a terminal. */
  readonly ansi: boolean;
  /** A build of January 2026: no `--format`, no usage, sparse tool events. */
  readonly oldBuild: boolean;
  /** Whether results report usage. */
  readonly usage: boolean;
  /** Events are printed on stderr too. */
  readonly stderrMirror: boolean;
  /** Print mode ends at once with this text on stderr, as with a locked keychain. */
  readonly refusal: string;
  /** Pause before the first output. */
  readonly startMs: number;
  /** Pause between two deltas. */
  readonly deltaMs: number;
  /** Commands or ACP methods that never return. */
  readonly hangs: readonly string[];
  /** Known model ids, others are refused; empty means the simulator's list. */
  readonly models: readonly string[];

  /** What the last text event repeats: the last `segment`, or the `whole` text. */
  readonly flush: "segment" | "whole";
  /** The connection breaks once, and the answer is repeated. */
  readonly retry: boolean;
  /** Raw lines printed before the answer. */
  readonly noise: readonly string[];
  /** Size of a very long line; 0 prints none. */
  readonly hugeLineBytes: number;
  /** Writes end in the middle of a character. */
  readonly splitUtf8: boolean;
  /** Two events share a line. */
  readonly twoPerLine: boolean;

  /** How print mode ends: `result`, `no-result`, `error-result`, `usage-limit`, `free-plan` or `cut`. */
  readonly end: "result" | "no-result" | "error-result" | "usage-limit" | "free-plan" | "cut";
  /** The process does not exit after its result. */
  readonly hangAfterResult: boolean;
  /** The process ignores SIGTERM. */
  readonly ignoresTerm: boolean;
  /** A child process stays behind with the output open. */
  readonly leavesChild: boolean;

  /** A build without the command `acp`. */
  readonly acpUnknown: boolean;
  /** MCP servers need an entry in the approval file. */
  readonly mcpApprovals: boolean;
  /** Time limit of an MCP call. */
  readonly mcpTimeoutMs: number;
  /** MCP servers of `session/new` are silently ignored. */
  readonly mcpIgnored: boolean;
  /** Whether ACP names the tool of an MCP call: `named` or `anonymous`. */
  readonly mcpTitles: "named" | "anonymous";
  /** How a turn fails over ACP: `inline`, as text of the answer, or `rpc`, as an error of the request. */
  readonly acpErrors: "inline" | "rpc";
  /** Requests sent before each prompt, such as `cursor/update_todos`. */
  readonly acpExtensions: readonly string[];
  /** How long `authenticate` waits for a browser when there is no login. */
  readonly authenticateMs: number;
  /** Text still arrives after a cancelled prompt. */
  readonly lateUpdates: boolean;
  /** `session/load` fails. */
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
  acpUnknown: flag(),
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
  acpUnknown: false,
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
    if (rule === undefined) throw new Error(`Unknown scenario option "${name}".`);
    read[name] = rule.read(value);
    if (read[name] === undefined) throw new Error(`"${name}" must be ${rule.wants}.`);
  }
  return { ...defaultScenario, ...read };
}

export function readScenario(path: string | undefined): Scenario {
  if (path === undefined || !existsSync(path)) return defaultScenario;
  return parseScenario(JSON.parse(readFileSync(path, "utf8")));
}

/** Persists `login` and `logout`: the scenario file is the only account. */
export function storeLogin(path: string | undefined, loggedIn: boolean): void {
  if (path === undefined) return;
  const json = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as object) : {};
  writeFileSync(path, JSON.stringify({ ...json, loggedIn }));
}
