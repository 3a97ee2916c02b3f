import type { BackendState, HealthState, McpServerState } from "../../src/page/contract.js";
import type { Tone } from "../parts/chip.js";
import { clockTime, some, wholeCount } from "../parts/format.js";
import { causeOf } from "./causes.js";

/** Something that is not as it should be, and what to do about it. */
export interface Trouble {
  /** A clause that can go on after "but", without a full stop. */
  readonly what: string;
  /** Whether requests can't be answered because of it. */
  readonly isFatal: boolean;
  readonly advice: string | null;
  readonly command: string | null;
}

/** One thing that can work or not. */
export interface Check {
  readonly name: string;
  readonly tone: Tone;
  readonly state: string;
  readonly trouble: Trouble | null;
}

/** All that is known about the gateway's health, the most important first. */
export function checksOf(health: HealthState): Check[] {
  return [
    loginCheck(health.auth),
    ...health.backends.map((backend) => backendCheck(backend, health)),
    ...health.mcpServers.map(mcpCheck),
    driftCheck(health.drift),
    transportCheck(health.transport),
    ...(health.lostLogLines > 0 ? [logCheck(health.lostLogLines)] : []),
  ];
}

const lostLogins: Readonly<Record<string, { readonly state: string; readonly what: string }>> = {
  not_authenticated: { state: "Not signed in", what: "Curlew is not signed in to Cursor" },
  refused: { state: "Refused by Cursor", what: "Cursor refuses the login" },
  expired: { state: "Expired", what: "the login has expired" },
};

function loginCheck(auth: string): Check {
  const lost = lostLogins[auth];
  if (lost !== undefined) {
    const trouble = {
      what: lost.what,
      isFatal: true,
      advice: "No turn can be answered until you sign in again.",
      command: "curlew login",
    };
    return { name: "Login", tone: "bad", state: lost.state, trouble };
  }
  if (auth === "authenticated") return { name: "Login", tone: "good", state: "Accepted by Cursor", trouble: null };
  return { name: "Login", tone: "plain", state: "Not tried yet", trouble: null };
}

function backendCheck({ name, auth, state, lastSuccess, lastError }: BackendState, health: HealthState): Check {
  const title = `Backend ${name}`;
  const hasLogin = lostLogins[auth] === undefined;
  if (state === "failing") {
    const { what, command } = causeOf(lastError?.code ?? "unknown");
    const since = lastError === null ? "" : ` at ${timeOf(lastError.at)}`;
    const trouble = {
      what: `the backend ${name} fails`,
      isFatal: health.backends.every((backend) => backend.state === "failing"),
      advice: `Its newest turn failed${since}: ${what}.`,
      command,
    };
    // A login that is lost has a check of its own.
    const isSaid = !hasLogin && auth === health.auth;
    return { name: title, tone: "bad", state: "Fails", trouble: isSaid ? null : trouble };
  }
  if (!hasLogin && auth !== health.auth) {
    const trouble = {
      what: `the backend ${name} is not signed in`,
      isFatal: false,
      advice: "It has a login of its own.",
      command: "curlew doctor",
    };
    return { name: title, tone: "caution", state: "Not signed in", trouble };
  }
  if (state === "unknown") return { name: title, tone: "plain", state: "No turn yet", trouble: null };
  const answered = lastSuccess === null ? "Works" : `Answered at ${timeOf(lastSuccess)}`;
  return { name: title, tone: "good", state: answered, trouble: null };
}

function mcpCheck({ name, isConnected, tools, problem }: McpServerState): Check {
  const title = `MCP server ${name}`;
  if (isConnected) return { name: title, tone: "good", state: some(tools, "tool"), trouble: null };
  const trouble = {
    what: `the MCP server ${name} is not connected`,
    isFatal: false,
    advice: problem ?? "Models go without its tools until it is.",
    command: null,
  };
  return { name: title, tone: "caution", state: "Not connected", trouble };
}

/** Kinds of messages have counts, and so have their fields, named like `update 25`: they are not counted twice. */
function countDrift(drift: HealthState["drift"]): number {
  return Object.entries(drift).reduce((sum, [name, count]) => (name.includes(" ") ? sum : sum + count), 0);
}

function driftCheck(drift: HealthState["drift"]): Check {
  const count = countDrift(drift);
  const name = "Messages from Cursor";
  if (count === 0) return { name, tone: "good", state: "All known", trouble: null };
  const trouble = {
    what: "Cursor sends messages that this version does not know",
    isFatal: false,
    advice: "Cursor has changed something. Answers still come, but may lack what is new.",
    command: "curlew doctor --live",
  };
  return { name, tone: "caution", state: `${wholeCount(count)} unknown`, trouble };
}

const versions: Readonly<Record<string, string>> = { h2: "HTTP/2", h1: "HTTP/1.1" };
const reasons: Readonly<Record<string, string>> = {
  set: ", as set",
  advised: ", as Cursor advises",
  "http2-refused": ", since HTTP/2 is blocked here",
};

function transportCheck({ name, reason }: HealthState["transport"]): Check {
  const state = `${versions[name] ?? name}${reasons[reason] ?? ""}`;
  return { name: "Connection to Cursor", tone: "plain", state, trouble: null };
}

function logCheck(lines: number): Check {
  const trouble = {
    what: `${some(lines, "line")} of the log could not be written`,
    isFatal: false,
    advice: "The disk is full, or whatever reads the log has gone.",
    command: null,
  };
  return { name: "Log", tone: "caution", state: `${some(lines, "line")} lost`, trouble };
}

function timeOf(iso: string): string {
  return clockTime(Date.parse(iso));
}
