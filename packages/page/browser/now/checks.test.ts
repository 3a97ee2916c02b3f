import { describe, expect, it } from "vitest";
import type { BackendState, HealthState } from "../../access/contract.js";
import type { Tone } from "../parts/card.js";
import { checksOf, type Verdict, verdictOf } from "./checks.js";

const works: BackendState = {
  name: "agent",
  auth: "authenticated",
  state: "ok",
  lastSuccess: "2026-11-16T08:00:00.000Z",
  lastError: null,
};
const fails: BackendState = {
  ...works,
  name: "cli",
  state: "failing",
  lastError: { code: "upstream_unreachable", at: "2026-11-16T08:00:00.000Z" },
};
const healthy: HealthState = {
  auth: "authenticated",
  signIn: "curlew login",
  troubles: [],
  backends: [works],
  mcpServers: [{ name: "github", isConnected: true, tools: 26, problem: null }],
  drift: { message: 0, update: 0 },
  transport: { name: "h2", reason: "default" },
  lostLogLines: 0,
  isUpdated: false,
};

function verdict(health: Partial<HealthState>, more: Partial<Parameters<typeof verdictOf>[0]> = {}) {
  const state = { ...healthy, ...health };
  const known = { checks: checksOf(state), troubles: state.troubles };
  return verdictOf({ connection: "live", ...known, hasAnswered: true, ...more });
}

const said = ({ tone, sentence, advice, command }: Verdict): [Tone, string, string | null, string | null] => [
  tone,
  sentence,
  advice,
  command,
];

const unchecked: BackendState = { ...works, auth: "unchecked", state: "unknown", lastSuccess: null };
const unsigned: BackendState = { ...works, name: "cli", auth: "not_authenticated", state: "unknown" };
const failing = { what: "3 of the last 7 turns failed", isFatal: true, advice: "Cursor is away.", command: null };
const near = { what: "the limit day.tokens is near", isFatal: false, advice: null, command: "curlew limits" };

describe("the verdict", () => {
  it.each<[string, Partial<HealthState>, ...ReturnType<typeof said>]>([
    ["everything works", {}, "good", "Everything works.", null, null],
    ["one turn failed", { backends: [fails] }, "good", "Everything works.", null, null],
    ["a limit is near", { troubles: [near] }, "caution", `It works, but ${near.what}.`, null, near.command],
    ["turns fail", { troubles: [failing] }, "bad", `${failing.what}.`, failing.advice, null],
  ])("if %s", (_, health, ...words) => {
    expect(said(verdict(health))).toEqual(words);
    expect(verdict(health).also).toEqual([]);
  });

  it("claims only readiness before the first turn", () => {
    const found = verdict({ auth: "unchecked", backends: [unchecked] }, { hasAnswered: false });
    expect(found).toMatchObject({ tone: "good", sentence: "Ready for requests." });
  });

  it.each([
    ["not_authenticated", "Curlew is not signed in to Cursor."],
    ["refused", "Cursor refuses the login."],
    ["expired", "The login has expired."],
  ])("names a login that is %s, once, with the command to fix it", (auth, sentence) => {
    const backends = [{ ...fails, auth }];
    expect(verdict({ auth, backends })).toMatchObject({ tone: "bad", sentence, command: "curlew login", also: [] });
  });

  it.each([
    [{ ...fails, lastSuccess: null }, "has not answered a turn yet"],
    [unsigned, "is not signed in"],
  ])("mentions an unusable backend next to one that works", (backend, what) => {
    expect(verdict({ backends: [works, backend] }).sentence).toBe(`It works, but the backend cli ${what}.`);
  });

  it("lists fatal troubles first, and omits none", () => {
    const found = verdict({
      mcpServers: [{ name: "postgres", isConnected: false, tools: 0, problem: "The program ended with code 1." }],
      drift: { update: 3, "update 25": 3 },
      lostLogLines: 1,
      troubles: [{ ...failing, what: "your plan is used up" }],
    });
    expect(found).toMatchObject({ tone: "bad", sentence: "Your plan is used up." });
    expect(found.also).toEqual([
      "The MCP server postgres is not connected.",
      "Cursor sends messages that this version does not know.",
      "1 log line could not be written.",
    ]);
  });

  it("says first that the gateway does not answer", () => {
    const found = verdict({ auth: "expired" }, { connection: "offline" });
    expect(found).toMatchObject({ tone: "bad", sentence: "The gateway does not answer.", command: "curlew serve" });
  });
});

describe("the checks", () => {
  const stateOf = (health: Partial<HealthState>, name: string) =>
    checksOf({ ...healthy, ...health }).find((check) => check.name === name)?.state;
  const at = "2026-11-16T08:00:00.000Z";

  it.each<[string, Partial<HealthState>, string | undefined]>([
    // Each unknown message counts once; its fields have counters of their own.
    ["Protocol", { drift: { message: 1, update: 3, "update 25": 2, "update 26": 1 } }, "4 unknown messages"],
    [
      "Connection to Cursor",
      { transport: { name: "h1", reason: "http2-refused" } },
      "HTTP/1.1, since HTTP/2 is blocked here",
    ],
    ["Log", {}, undefined],
    ["Log", { lostLogLines: 12 }, "12 lines lost"],
  ])("show for %s after %j: %j", (name, health, state) => {
    expect(stateOf(health, name)).toBe(state);
  });

  it("show the code of an unknown failure", () => {
    const backends = [works, { ...fails, lastError: { code: "brand_new", at } }];
    expect(stateOf({ backends }, "Backend cli")).toMatch(/^Last turn failed at \d\d:\d\d:\d\d: brand_new$/);
  });
});
