import { describe, expect, it } from "vitest";
import type { BackendState, HealthState } from "../../src/page/contract.js";
import { checksOf, verdictOf } from "./checks.js";

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

describe("what an owner reads first", () => {
  it("says that everything works", () => {
    expect(verdict({})).toEqual({
      tone: "good",
      sentence: "Everything works.",
      advice: null,
      command: null,
      also: [],
    });
  });

  it("promises nothing that no turn has shown", () => {
    const backends = [{ ...works, auth: "unchecked", state: "unknown" as const, lastSuccess: null }];
    expect(verdict({ auth: "unchecked", backends }, { hasAnswered: false })).toMatchObject({
      tone: "good",
      sentence: "Ready for requests.",
    });
  });

  it.each([
    ["not_authenticated", "Curlew is not signed in to Cursor."],
    ["refused", "Cursor refuses the login."],
    ["expired", "The login has expired."],
  ])("names a login that is %s, once, with the command that helps", (auth, sentence) => {
    const backends = [{ ...fails, auth }];
    expect(verdict({ auth, backends })).toMatchObject({ tone: "bad", sentence, command: "curlew login", also: [] });
  });

  it("is calm about one turn that failed, and not about what the gateway counts as trouble", () => {
    expect(verdict({ backends: [fails] })).toMatchObject({ tone: "good", sentence: "Everything works." });
    expect(verdict({ backends: [{ ...fails, lastSuccess: null }] }).sentence).toBe(
      "It works, but the backend cli has not answered a turn yet.",
    );
    const trouble = { what: "3 of the last 7 turns failed", isFatal: true, advice: "Cursor is away.", command: null };
    expect(verdict({ backends: [works], troubles: [trouble] })).toEqual({
      tone: "bad",
      sentence: "3 of the last 7 turns failed.",
      advice: "Cursor is away.",
      command: null,
      also: [],
    });
  });

  it("warns of a limit that is near", () => {
    const near = { what: "the limit day.tokens is near", isFatal: false, advice: null, command: "curlew limits" };
    expect(verdict({ troubles: [near] })).toMatchObject({
      tone: "caution",
      sentence: "It works, but the limit day.tokens is near.",
      command: "curlew limits",
    });
  });

  it("knows a backend with a login of its own", () => {
    const cli: BackendState = { ...works, name: "cli", auth: "not_authenticated", state: "unknown" };
    expect(verdict({ backends: [works, cli] }).sentence).toBe("It works, but the backend cli is not signed in.");
  });

  it("puts what stops requests before everything else, and leaves nothing out", () => {
    const found = verdict({
      mcpServers: [{ name: "postgres", isConnected: false, tools: 0, problem: "The program ended with code 1." }],
      drift: { update: 3, "update 25": 3 },
      lostLogLines: 1,
      troubles: [{ what: "your plan is used up", isFatal: true, advice: null, command: null }],
    });
    expect(found).toMatchObject({ tone: "bad", sentence: "Your plan is used up." });
    expect(found.also).toEqual([
      "The MCP server postgres is not connected.",
      "Cursor sends messages that this version does not know.",
      "1 line of the log could not be written.",
    ]);
  });

  it("says first of all that the gateway does not answer", () => {
    expect(verdict({ auth: "expired" }, { connection: "offline" })).toMatchObject({
      tone: "bad",
      sentence: "The gateway does not answer.",
      command: "curlew serve",
    });
  });
});

describe("the checks", () => {
  const stateOf = (health: Partial<HealthState>, name: string) =>
    checksOf({ ...healthy, ...health }).find((check) => check.name === name)?.state;

  it("counts an unknown message once, though its fields are counted too", () => {
    expect(stateOf({ drift: { message: 1, update: 3, "update 25": 2, "update 26": 1 } }, "Messages from Cursor")).toBe(
      "4 unknown",
    );
  });

  it("says why HTTP/1.1 is spoken", () => {
    expect(stateOf({ transport: { name: "h1", reason: "http2-refused" } }, "Connection to Cursor")).toBe(
      "HTTP/1.1, since HTTP/2 is blocked here",
    );
  });

  it("speaks of the log only when lines were lost", () => {
    expect(stateOf({}, "Log")).toBeUndefined();
    expect(stateOf({ lostLogLines: 12 }, "Log")).toBe("12 lines lost");
  });

  it("names a failure that it has no words for by its code", () => {
    const backends = [works, { ...fails, lastError: { code: "brand_new", at: "2026-11-16T08:00:00.000Z" } }];
    const check = checksOf({ ...healthy, backends }).find(({ name }) => name === "Backend cli");
    expect(check?.state).toMatch(/^Its newest turn failed at \d\d:\d\d:\d\d: brand_new$/);
  });
});
