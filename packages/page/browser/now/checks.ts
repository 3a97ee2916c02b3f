import { clockTime, some } from "@curlew/gateway/system/format.js";
import type { BackendState, HealthState, McpServerState, Trouble } from "../../access/contract.js";
import type { Connection } from "../api/live.js";
import type { Tone } from "../parts/card.js";

export interface Check {
  readonly name: string;
  readonly tone: Tone;
  readonly state: string;
  readonly trouble: Trouble | null;
}

/** All health checks, most important first. */
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
    const advice = "Requests fail until you sign in again.";
    const trouble = { what: lost.what, isFatal: true, advice, command: signIn };
    return { name: "Login", tone: "bad", state: lost.state, trouble };
  }
  if (auth === "authenticated") return untroubled("Login", "good", "Accepted by Cursor");
  return untroubled("Login", "plain", "Not tried yet");
}

function untroubled(name: string, tone: Tone, state: string): Check {
  return { name, tone, state, trouble: null };
}

/** A check with a non-fatal trouble. */
function troubled(name: string, state: string, what: string, advice: string, command: string | null = null): Check {
  return { name, tone: "caution", state, trouble: { what, isFatal: false, advice, command } };
}

function backendCheck({ name, auth, state, lastSuccess, lastError }: BackendState, health: HealthState): Check {
  const title = `Backend ${name}`;
  const hasLogin = lostLogins[auth] === undefined;
  // A single failure is not a trouble; repeated ones are reported in the gateway's troubles.
  if (state === "failing" && lastError !== null) {
    const failed = `Last turn failed at ${timeOf(lastError.at)}: ${causeOf(lastError.code)}`;
    if (lastSuccess !== null || !hasLogin) return untroubled(title, "caution", failed);
    return troubled(title, failed, `the backend ${name} has not answered a turn yet`, `${failed}.`, "curlew doctor");
  }
  if (!hasLogin && auth !== health.auth) {
    const what = `the backend ${name} is not signed in`;
    return troubled(title, "Not signed in", what, "This backend has its own login.", "curlew doctor");
  }
  if (state === "unknown") return untroubled(title, "plain", "No turn yet");
  return untroubled(title, "good", lastSuccess === null ? "Works" : `Answered at ${timeOf(lastSuccess)}`);
}

function mcpCheck({ name, isConnected, tools, problem }: McpServerState): Check {
  const title = `MCP server ${name}`;
  if (isConnected) return untroubled(title, "good", some(tools, "tool"));
  const what = `the MCP server ${name} is not connected`;
  return troubled(title, "Not connected", what, problem ?? "Its tools are unavailable.");
}

/** Counts messages only: their fields, named like `update 25`, have counters of their own. */
function countDrift(drift: HealthState["drift"]): number {
  return Object.entries(drift).reduce((sum, [name, count]) => (name.includes(" ") ? sum : sum + count), 0);
}

function driftCheck(drift: HealthState["drift"]): Check {
  const count = countDrift(drift);
  const name = "Protocol";
  if (count === 0) return untroubled(name, "good", "No unknown messages");
  const what = "Cursor sends messages that this version does not know";
  const advice = "Cursor has changed its protocol. Replies still work, but may lack new features.";
  return troubled(name, some(count, "unknown message"), what, advice, "curlew doctor --live");
}

const versions: Readonly<Record<string, string>> = { h2: "HTTP/2", h1: "HTTP/1.1" };
const reasons: Readonly<Record<string, string>> = {
  set: ", as configured",
  advised: ", as advised by Cursor",
  "http2-refused": ", since HTTP/2 is blocked here",
};

function transportCheck({ name, reason }: NonNullable<HealthState["transport"]>): Check {
  return untroubled("Connection to Cursor", "plain", `${versions[name] ?? name}${reasons[reason] ?? ""}`);
}

function logCheck(lines: number): Check {
  const what = `${some(lines, "log line")} could not be written`;
  return troubled("Log", `${some(lines, "line")} lost`, what, "The disk is full, or the reader of the log is gone.");
}

function timeOf(iso: string): string {
  return clockTime(Date.parse(iso));
}

export interface Verdict {
  readonly tone: Tone;
  readonly sentence: string;
  readonly advice: string | null;
  readonly command: string | null;
  /** The other troubles, in sentences. */
  readonly also: readonly string[];
}

interface Known {
  readonly connection: Connection;
  /** Most important first. */
  readonly checks: readonly Check[];
  /** Troubles found in limits, the plan and recent turns. */
  readonly troubles: readonly Trouble[];
  /** Whether any turn has been answered since the gateway started. */
  readonly hasAnswered: boolean;
}

/** The headline: the first fatal trouble, else the first other one. */
export function verdictOf({ connection, checks, hasAnswered, ...known }: Known): Verdict {
  if (connection === "offline") {
    const advice = "Showing the last known state.";
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

/** Failures in words, for use after a colon. */
const causes: Readonly<Record<string, string>> = {
  not_authenticated: "Curlew is not signed in",
  invalid_api_key: "Cursor does not accept the key",
  cursor_login_required: "Cursor requires a new login",
  cursor_unauthorized: "Cursor refused the login",
  api_key_not_supported: "Cursor requires a login instead of a key",
  permission_denied: "the account is not permitted to do this",
  plan_required: "the plan does not include this",
  model_not_permitted: "the account may not use this model",
  rate_limit_exceeded: "Cursor's rate limit was reached",
  insufficient_quota: "the plan is used up",
  overloaded: "too many requests at once",
  upstream_overloaded: "Cursor is overloaded",
  timeout: "Cursor did not answer in time",
  client_outdated: "Cursor requires a newer version",
  upstream_unreachable: "Cursor cannot be reached",
  network_blocked: "something on the network answered in Cursor's place",
  provider_error: "the provider of the model failed",
  upstream_error: "Cursor failed or sent something unreadable",
  canceled: "it was stopped",
  interrupted: "the gateway was stopped",
  quota_exceeded: "one of your limits was reached",
  context_length_exceeded: "the conversation is too long",
  model_not_found: "unknown model",
  invalid_request: "the request is invalid",
  server_error: "Curlew itself failed",
};

/** Unknown codes are shown as they are. */
export function causeOf(code: string): string {
  return causes[code] ?? code;
}
