import { clockTime, some, wholeCount } from "../../src/format.js";
import type { BackendState, HealthState, McpServerState, Trouble } from "../../src/page/contract.js";
import type { Connection } from "../api/live.js";
import type { Tone } from "../parts/card.js";

export interface Check {
  readonly name: string;
  readonly tone: Tone;
  readonly state: string;
  readonly trouble: Trouble | null;
}

/** All that is known about the gateway's health, the most important first. */
export function checksOf(health: HealthState): Check[] {
  return [
    loginCheck(health),
    ...health.backends.map((backend) => backendCheck(backend, health)),
    ...health.mcpServers.map(mcpCheck),
    driftCheck(health.drift),
    ...(health.transport === null ? [] : [transportCheck(health.transport)]),
    ...(health.lostLogLines > 0 ? [logCheck(health.lostLogLines)] : []),
  ];
}

const lostLogins: Readonly<Record<string, { readonly state: string; readonly what: string }>> = {
  not_authenticated: { state: "Not signed in", what: "Curlew is not signed in to Cursor" },
  refused: { state: "Refused by Cursor", what: "Cursor refuses the login" },
  expired: { state: "Expired", what: "the login has expired" },
};

function loginCheck({ auth, signIn }: HealthState): Check {
  const lost = lostLogins[auth];
  if (lost !== undefined) {
    const advice = "No turn can be answered until you sign in again.";
    const trouble = { what: lost.what, isFatal: true, advice, command: signIn };
    return { name: "Login", tone: "bad", state: lost.state, trouble };
  }
  if (auth === "authenticated") return untroubled("Login", "good", "Accepted by Cursor");
  return untroubled("Login", "plain", "Not tried yet");
}

function untroubled(name: string, tone: Tone, state: string): Check {
  return { name, tone, state, trouble: null };
}

/** Something that takes away less than everything. */
function troubled(name: string, state: string, what: string, advice: string, command: string | null = null): Check {
  return { name, tone: "caution", state, trouble: { what, isFatal: false, advice, command } };
}

function backendCheck({ name, auth, state, lastSuccess, lastError }: BackendState, health: HealthState): Check {
  const title = `Backend ${name}`;
  const hasLogin = lostLogins[auth] === undefined;
  // One failure may be an accident. Whether there are too many is among the gateway's troubles.
  if (state === "failing" && lastError !== null) {
    const failed = `Its newest turn failed at ${timeOf(lastError.at)}: ${causeOf(lastError.code)}`;
    if (lastSuccess !== null || !hasLogin) return untroubled(title, "caution", failed);
    return troubled(title, failed, `the backend ${name} has not answered a turn yet`, `${failed}.`, "curlew doctor");
  }
  if (!hasLogin && auth !== health.auth) {
    const what = `the backend ${name} is not signed in`;
    return troubled(title, "Not signed in", what, "It has a login of its own.", "curlew doctor");
  }
  if (state === "unknown") return untroubled(title, "plain", "No turn yet");
  return untroubled(title, "good", lastSuccess === null ? "Works" : `Answered at ${timeOf(lastSuccess)}`);
}

function mcpCheck({ name, isConnected, tools, problem }: McpServerState): Check {
  const title = `MCP server ${name}`;
  if (isConnected) return untroubled(title, "good", some(tools, "tool"));
  const what = `the MCP server ${name} is not connected`;
  return troubled(title, "Not connected", what, problem ?? "Models go without its tools until it is.");
}

/** Kinds of messages have counts, and so have their fields, named like `update 25`: they are not counted twice. */
function countDrift(drift: HealthState["drift"]): number {
  return Object.entries(drift).reduce((sum, [name, count]) => (name.includes(" ") ? sum : sum + count), 0);
}

function driftCheck(drift: HealthState["drift"]): Check {
  const count = countDrift(drift);
  const name = "Messages from Cursor";
  if (count === 0) return untroubled(name, "good", "All known");
  const what = "Cursor sends messages that this version does not know";
  const advice = "Cursor has changed something. Answers still come, but may lack what is new.";
  return troubled(name, `${wholeCount(count)} unknown`, what, advice, "curlew doctor --live");
}

const versions: Readonly<Record<string, string>> = { h2: "HTTP/2", h1: "HTTP/1.1" };
const reasons: Readonly<Record<string, string>> = {
  set: ", as set",
  advised: ", as Cursor advises",
  "http2-refused": ", since HTTP/2 is blocked here",
};

function transportCheck({ name, reason }: NonNullable<HealthState["transport"]>): Check {
  return untroubled("Connection to Cursor", "plain", `${versions[name] ?? name}${reasons[reason] ?? ""}`);
}

function logCheck(lines: number): Check {
  const what = `${some(lines, "line")} of the log could not be written`;
  return troubled("Log", `${some(lines, "line")} lost`, what, "The disk is full, or whatever reads the log has gone.");
}

function timeOf(iso: string): string {
  return clockTime(Date.parse(iso));
}

export interface Verdict {
  readonly tone: Tone;
  readonly sentence: string;
  readonly advice: string | null;
  readonly command: string | null;
  /** What else is not as it should be, in sentences. */
  readonly also: readonly string[];
}

interface Known {
  readonly connection: Connection;
  /** The most important first. */
  readonly checks: readonly Check[];
  /** What limits, the plan and the newest turns show. */
  readonly troubles: readonly Trouble[];
  /** Whether any turn has been answered since the gateway started. */
  readonly hasAnswered: boolean;
}

/** The sentence over everything else: what stops requests comes first, then what only takes something away. */
export function verdictOf({ connection, checks, hasAnswered, ...known }: Known): Verdict {
  if (connection === "offline") {
    const advice = "Below is the last that is known.";
    return { tone: "bad", sentence: "The gateway does not answer.", advice, command: "curlew serve", also: [] };
  }
  const troubles = [...checks.flatMap(({ trouble }) => trouble ?? []), ...known.troubles];
  const inOrder = [...troubles.filter(({ isFatal }) => isFatal), ...troubles.filter(({ isFatal }) => !isFatal)];
  const [worst, ...others] = inOrder;
  if (worst === undefined) {
    const sentence = hasAnswered ? "Everything works." : "Ready for requests.";
    return { tone: "good", sentence, advice: null, command: null, also: [] };
  }
  const { what, isFatal, advice, command } = worst;
  const sentence = isFatal ? asSentence(what) : `It works, but ${what}.`;
  return {
    tone: isFatal ? "bad" : "caution",
    sentence,
    advice,
    command,
    also: others.map((each) => asSentence(each.what)),
  };
}

function asSentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}

/** What a failure means. It goes on after a colon. */
const causes: Readonly<Record<string, string>> = {
  not_authenticated: "Curlew is not signed in",
  invalid_api_key: "Cursor does not accept the key",
  cursor_login_required: "Cursor wants a new login",
  cursor_unauthorized: "Cursor refused the login",
  api_key_not_supported: "Cursor wants a login instead of a key",
  permission_denied: "the account may not do this",
  plan_required: "the plan does not include this",
  model_not_permitted: "the account may not use this model",
  rate_limit_exceeded: "Cursor's rate limit was reached",
  insufficient_quota: "the plan is used up",
  overloaded: "too much was asked at once",
  upstream_overloaded: "Cursor is overloaded",
  timeout: "Cursor did not answer in time",
  client_outdated: "Cursor wants a newer version",
  upstream_unreachable: "Cursor cannot be reached",
  network_blocked: "something between here and Cursor answered in its place",
  provider_error: "the provider of the model failed",
  upstream_error: "Cursor failed or sent something unreadable",
  canceled: "it was stopped",
  interrupted: "the gateway ended",
  quota_exceeded: "a limit of yours was reached",
  context_length_exceeded: "the conversation is too long",
  model_not_found: "there is no such model",
  invalid_request: "the request is not valid",
  server_error: "Curlew itself failed",
};

/** A code that is not among these speaks for itself. */
export function causeOf(code: string): string {
  return causes[code] ?? code;
}
