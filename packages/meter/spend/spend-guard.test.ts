import { GatewayError } from "@curlew/gateway/turn/error.js";
import { type LimitNotice, listen, publish, RequestRecord } from "@curlew/gateway/turn/events/channels.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ledgerOf, rollUp } from "../../../testing/ledger/ledger-of.js";
import { abandonRun } from "../../../testing/ledger/sample-requests.js";
import { ManualClock } from "../../../testing/manual-clock.js";
import { defaultCeilings, type Limits, type SpanCeilings } from "./limits.js";
import type { PlanUse } from "./plan-share.js";
import { boundsOf, type EarlierSpend } from "./spend-counters.js";
import { SpendGuard } from "./spend-guard.js";

const GATEWAY = "the-gateway";
const HOUR_MS = 3_600_000;
/** Ten past the hour and early in the day, in any time zone. */
const START_MS = new Date(2026, 10, 16, 9, 10).getTime();

let clock: ManualClock;
let limits: Limits;
let keyLimits: Record<string, SpanCeilings>;
let earlier: EarlierSpend | undefined;
let plan: (() => Promise<PlanUse>) | undefined;
let problems: unknown[];
let notices: LimitNotice[];
let stops: (() => void)[];

beforeEach(() => {
  clock = new ManualClock(START_MS);
  limits = {};
  keyLimits = {};
  earlier = undefined;
  plan = () => Promise.reject(new Error("the plan was requested"));
  problems = [];
  notices = [];
  stops = [listen(GATEWAY, { "curlew:limit:reached": (notice) => notices.push(notice) }, () => {})];
});
afterEach(() => {
  for (const stop of stops) stop();
});

const none: SpanCeilings = {};

function start(): SpendGuard {
  const guard = new SpendGuard({
    gateway: GATEWAY,
    clock,
    limits: {
      get current() {
        return limits;
      },
    },
    limitsOf: (caller) => keyLimits[caller] ?? none,
    costOf: (model, { input, output }) => (model === "priced" ? (input + output) / 1_000_000 : undefined),
    earlier,
    readPlan: plan,
    onProblem: (problem) => problems.push(problem),
  });
  stops.push(() => guard.close());
  return guard;
}

let count = 0;

function request(changes: Partial<RequestRecord> = {}): RequestRecord {
  return Object.assign(new RequestRecord(GATEWAY, `r${count++}`, clock.now()), {
    thread: "t1",
    client: "tool/1",
    askedModel: "some",
    ...changes,
  });
}

const usage = (inputTokens: number, outputTokens = 0) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
});

/** Plays a whole turn. Returns its warnings. */
function turn(guard: SpendGuard, tokens: number, changes: Partial<RequestRecord> = {}): readonly string[] {
  const record = request(changes);
  const { warnings } = guard.admit(record, "ongoing");
  record.turnUsage = usage(tokens);
  publish("curlew:request:finished", record);
  return warnings;
}

/** A request whose reply ends with calls, so that its run waits. */
function pause(guard: SpendGuard, changes: Partial<RequestRecord> = {}): RequestRecord {
  const record = request(changes);
  guard.admit(record, record.round === 0 ? "ongoing" : "results");
  publish("curlew:request:paused", record);
  publish("curlew:request:finished", record);
  return record;
}

function refusal(guard: SpendGuard, changes: Partial<RequestRecord> = {}): GatewayError | undefined {
  const record = request(changes);
  try {
    guard.admit(record, "ongoing");
  } catch (thrown) {
    return GatewayError.from(thrown);
  }
  publish("curlew:request:finished", record);
  return undefined;
}

describe("a ceiling set by the owner", () => {
  it("warns from 90 % on, publishes that once, and then refuses", () => {
    limits = { day: { tokens: 1_000 } };
    const guard = start();
    expect(turn(guard, 900)).toEqual([]);
    const [warning] = turn(guard, 50);
    expect(warning).toContain("The limit day.tokens is near: 900 of 1,000 tokens used.");
    expect(turn(guard, 50)).toHaveLength(1);
    expect(refusal(guard)).toMatchObject({
      code: "quota_exceeded",
      kind: "quota",
      shouldClientRetry: false,
      isOwnRefusal: true,
      retryAfterMs: undefined,
      message:
        "The limit day.tokens is reached: 1,000 of 1,000 tokens used. It resets at 2026-11-17 00:00. To raise it now: curlew limits set day.tokens 2000",
    });
    expect(notices.map(({ action, limit }) => `${action} ${limit}`)).toEqual([
      "warned day.tokens",
      "refused day.tokens",
    ]);
  });

  it.each([
    ["tokens", 1_000, 123_456, "250000"],
    ["tokens", 600_000_000_000, 900_000_000_000, "1000000000000"],
    ["dollars", 0.05, 70_000, "0.15"],
    ["dollars", 10, 21_330_000, "43"],
  ] as const)("suggests a higher one that suffices: %s, %d with %d tokens used", (unit, max, tokens, offered) => {
    limits = { day: { [unit]: max } };
    const guard = start();
    turn(guard, tokens, { model: "priced" });
    const text = refusal(guard)?.message ?? turn(guard, 1)[0];
    expect(text).toMatch(new RegExp(`curlew limits set day\\.${unit} ${offered}$`));
  });

  it("holds when the clock is set back a day and forward again", () => {
    limits = { hour: { requests: 2 }, day: { tokens: 1_000 } };
    const guard = start();
    turn(guard, 600);
    turn(guard, 600);
    clock.setBack(24 * HOUR_MS);
    expect(refusal(guard)).toBeDefined();
    clock.setBack(-24 * HOUR_MS);
    expect(refusal(guard)).toBeDefined();
  });

  it("admits requests again when it is raised, and when its window ends", () => {
    limits = { hour: { requests: 2 } };
    const guard = start();
    turn(guard, 1);
    turn(guard, 1);
    const refused = refusal(guard);
    // It resets within the hour, so the reply has a retry-after.
    expect(refused).toMatchObject({
      retryAfterMs: boundsOf("hour", START_MS).endMs - START_MS,
      shouldClientRetry: false,
    });
    limits = { hour: { requests: 3 } };
    expect(refusal(guard)).toBeUndefined();
    expect(refusal(guard)).toBeDefined();
    clock.advance(HOUR_MS);
    expect(refusal(guard)).toBeUndefined();
  });

  it("gives a retry-after only if it resets within the hour", () => {
    limits = { day: { requests: 1 } };
    const guard = start();
    turn(guard, 1);
    expect(refusal(guard)?.retryAfterMs).toBeUndefined();
    clock.advance(boundsOf("day", START_MS).endMs - START_MS - 60_000);
    expect(refusal(guard)?.retryAfterMs).toBe(60_000);
  });

  it("of a conversation affects only that one, and the owner can raise it", () => {
    limits = { conversation: { tokens: 100 } };
    const guard = start();
    turn(guard, 150);
    const refused = refusal(guard);
    expect(refused?.message).toBe(
      "The limit conversation.tokens is reached: 150 of 100 tokens used. It does not reset. Start a new conversation with a different first message, or raise it: curlew limits allow t1",
    );
    expect(refusal(guard, { thread: "t2" })).toBeUndefined();
    limits = { conversation: { tokens: 100 }, allowed: { t1: { tokens: 300 } } };
    turn(guard, 150);
    expect(refusal(guard)?.message).toContain("300 of 300 tokens");
    limits = { conversation: { tokens: 100, requests: 7 }, allowed: { t1: { tokens: 900 } } };
    expect(refusal(guard)).toBeUndefined();
    for (let again = 0; again < 4; again++) refusal(guard);
    expect(refusal(guard)?.message).toContain("7 of 7 requests");
    limits = { conversation: { tokens: 100 }, allowed: { t1: {} } };
    expect(turn(guard, 10_000)).toEqual([]);
    expect(refusal(guard)).toBeUndefined();
  });

  it("in dollars counts turns with a known price", () => {
    limits = { day: { dollars: 2 } };
    const guard = start();
    turn(guard, 5_000_000, { model: "unpriced" });
    turn(guard, 1_900_000, { model: "priced" });
    expect(turn(guard, 200_000, { model: "priced" })[0]).toContain("$1.90 of $2.00 used");
    expect(refusal(guard)?.message).toContain("The limit day.dollars is reached: $2.10 of $2.00 used.");
  });

  it("in dollars warns of tokens that it cannot count, with the unpriced model and afterwards", () => {
    limits = { day: { dollars: 2 }, hour: { tokens: 1e9 } };
    keyLimits = { "key-1": { hour: { dollars: 1 } } };
    const guard = start();
    const model = (id: string, changes: Partial<RequestRecord> = {}) =>
      guard.admitModel(request(changes), "ongoing", { id, shownAs: id });
    expect(model("priced")).toEqual([]);
    expect(model("free")).toEqual([
      "The limit day.dollars does not count tokens of models without a price: 0 so far. free has no price. Set a limit in tokens as well, or add a price for the model to the setting prices.",
    ]);
    turn(guard, 5_000_000, { model: "free", caller: "key-1", client: "one" });
    const [day, hour] = model("priced", { caller: "key-1", client: "one" });
    expect(day).toMatch(/^The limit day\.dollars does not count .*: 5,000,000 so far\. Set a limit in tokens/);
    expect(hour).toMatch(/^The limit hour\.dollars of the key one does not count .*: 5,000,000 so far\./);
    expect(notices.map(({ limit }) => limit)).toEqual(["day.dollars", "key.hour.dollars"]);
    limits = { day: { tokens: 1e9 } };
    expect(model("free")).toEqual([]);
  });

  const results = (guard: SpendGuard, changes: Partial<RequestRecord> = {}) =>
    guard.admit(request({ leaseEndsMs: START_MS + 60_000, ...changes }), "results").warnings;

  it("refuses tool results a tenth later than a question", () => {
    limits = { day: { tokens: 1_000 } };
    const guard = start();
    turn(guard, 899);
    expect(results(guard)).toEqual([]);
    turn(guard, 50);
    expect(results(guard)).toEqual([expect.stringContaining("The limit day.tokens is near: 949 of 1,000 tokens")]);
    turn(guard, 151);
    expect(results(guard)).toEqual([
      "The limit day.tokens is reached: 1,100 of 1,000 tokens used. Tool results are accepted up to 1,100, then refused until 2026-11-17 00:00. To raise it: curlew limits set day.tokens 2200",
    ]);
    expect(() => guard.admit(request(), "words")).toThrow("The limit day.tokens is reached");
    const record = request({ turnUsage: usage(1) });
    publish("curlew:request:finished", record);
    expect(() => results(guard)).toThrow(
      "The limit day.tokens is reached: 1,101 of 1,000 tokens used. Nothing is lost: the run waits for its results until 2026-11-16 09:11. Once the limit is raised, the same request continues it; after that time, it resumes from its last state. It resets at 2026-11-17 00:00. To raise it now: curlew limits set day.tokens 2300",
    );
    limits = { day: { tokens: 2_300 } };
    expect(results(guard)).toEqual([]);
    expect(notices.map(({ action }) => action)).toEqual(["warned", "warned", "refused", "refused"]);
  });

  it("in dollars, of a key or of a conversation applies to tool results too, and a default one warns", () => {
    const guard = start();
    turn(guard, 60_000_000, { model: "priced", caller: "key-1", client: "one" });
    expect(results(guard)).toEqual([expect.stringContaining("which only warns")]);
    limits = { hour: { dollars: 54 } };
    expect(() => results(guard)).toThrow("$60.00 of $54.00");
    limits = { conversation: { tokens: 10_000_000 } };
    expect(() => results(guard)).toThrow("curlew limits allow t1");
    limits = { conversation: { tokens: 10_000_000 }, allowed: { t1: {} } };
    expect(results(guard)).toEqual([]);
    keyLimits = { "key-1": { day: { tokens: 1_000 } } };
    expect(() => results(guard, { caller: "key-1", client: "one" })).toThrow("curlew keys limit one");
  });

  it("in requests counts turns, not their tool rounds", () => {
    limits = { day: { requests: 2 }, client: { concurrent: 1, perMinute: 1 } };
    const guard = start();
    turn(guard, 1);
    for (let round = 0; round < 5; round++) expect(results(guard, { client: "other" })).toEqual([]);
    expect(turn(guard, 1, { client: "third" })).toEqual([]);
    for (let round = 0; round < 5; round++) expect(results(guard)).toEqual([]);
    expect(refusal(guard, { client: "fourth" })?.message).toContain("2 of 2 requests");
  });

  it("counts a turn round by round, and corrects the sum when the turn ends", () => {
    limits = { day: { tokens: 1_000 } };
    const guard = start();
    const pauseIn = (round: number) => pause(guard, { round, turnId: "the-turn", usage: usage(300, 100) });
    for (const round of [0, 1]) pauseIn(round);
    expect(refusal(guard, { thread: "t2" })).toBeUndefined();
    pauseIn(2);
    expect(refusal(guard, { thread: "t2" })?.message).toContain("1,200 of 1,000 tokens");
    const last = request({ round: 3, turnId: "the-turn", turnUsage: usage(900, 50) });
    expect(() => guard.admit(last, "results")).toThrow("1,200 of 1,000 tokens");
    limits = { day: { tokens: 2_000 } };
    expect(guard.admit(last, "results")).toEqual({ warnings: [], waitMs: 0 });
    limits = { day: { tokens: 1_000 } };
    publish("curlew:request:finished", last);
    expect(turn(guard, 0)[0]).toContain("950 of 1,000 tokens used");
  });

  it("counts an abandoned run once, although its replies were booked", () => {
    limits = { day: { tokens: 1_000 } };
    const guard = start();
    abandonRun(pause(guard, { turnId: "the-turn", usage: usage(800) }), usage(950));
    expect(turn(guard, 0)[0]).toContain("950 of 1,000 tokens used");
  });

  it("counts estimates and abandoned runs, but not refused requests", () => {
    limits = { conversation: { requests: 2, tokens: 1_000 } };
    const guard = start();
    abandonRun(pause(guard), { ...usage(400), estimated: true });
    const failed = request();
    guard.admit(failed, "ongoing");
    failed.turnUsage = { ...usage(300, 100), estimated: true };
    failed.outcome = "upstream_error";
    publish("curlew:request:failed", failed);
    for (let again = 0; again < 5; again++) refusal(guard);
    expect(refusal(guard)?.message).toContain("2 of 2 requests");
    limits = { conversation: { tokens: 800 } };
    expect(refusal(guard)?.message).toContain("800 of 800 tokens");
  });
});

it("charges an abandoned run to its own key and conversation when two clients use one id", () => {
  limits = { conversation: { tokens: 100 } };
  const guard = start();
  const [mine, yours] = ["t1", "t2"].map((thread) => pause(guard, { thread, caller: thread, requestId: "same" }));
  if (mine === undefined || yours === undefined) throw new Error("There are two requests.");
  abandonRun(mine, usage(150));
  expect(refusal(guard, { thread: "t2", caller: "t2" })).toBeUndefined();
  expect(refusal(guard, { thread: "t1", caller: "t1" })?.message).toContain("150 of 100 tokens");
  abandonRun(yours, usage(200));
  expect(refusal(guard, { thread: "t2", caller: "t2" })?.message).toContain("200 of 100 tokens");
});

it("warns about a default ceiling, but does not refuse", () => {
  const guard = start();
  turn(guard, defaultCeilings.conversation.tokens * 2);
  const [warning] = turn(guard, 1);
  expect(warning).toContain("the default limit conversation.tokens, which only warns");
  expect(refusal(guard)).toBeUndefined();
  expect(notices).toMatchObject([{ action: "warned", limit: "conversation.tokens" }]);
});

describe("the ceilings of keys", () => {
  const one = { caller: "key-1", client: "one", thread: "t1" };
  const two = { caller: "key-2", client: "two", thread: "t2" };

  it("are independent of each other", () => {
    keyLimits = { "key-1": { day: { tokens: 100 } }, "key-2": { day: { tokens: 1_000 } } };
    const guard = start();
    turn(guard, 500, one);
    turn(guard, 500, two);
    expect(refusal(guard, one)).toMatchObject({
      code: "quota_exceeded",
      message:
        "The limit day.tokens of the key one is reached: 500 of 100 tokens used. It resets at 2026-11-17 00:00. To raise it now: curlew keys limit one --day-tokens 1000",
    });
    expect(refusal(guard, two)).toBeUndefined();
    expect(refusal(guard, { caller: "key-3", client: "three" })).toBeUndefined();
  });

  it("apply to each conversation of a key, too", () => {
    keyLimits = { "key-1": { conversation: { requests: 1 } } };
    const guard = start();
    turn(guard, 1, one);
    expect(refusal(guard, one)?.message).toContain("curlew limits allow t1");
    expect(refusal(guard, { ...one, thread: "another" })).toBeUndefined();
  });
});

describe("an account that requests bring", () => {
  it("has an hour and a day of its own, unaffected by other accounts", () => {
    limits = { hour: { tokens: 1_000 }, day: { requests: 2 } };
    const guard = start();
    const ask = (account: string, tokens: number) => {
      const record = request({ thread: undefined, account });
      const { warnings } = guard.admit(record, "ongoing");
      record.turnUsage = usage(tokens);
      publish("curlew:request:finished", record);
      return warnings;
    };
    for (const account of ["one", "two", ""]) expect(ask(account, 950)).toEqual([]);
    expect(ask("one", 100)).toHaveLength(1);
    expect(() => ask("one", 1)).toThrow("The limit hour.tokens is reached: 1,050 of 1,000 tokens used.");
    expect(ask("two", 1)).toHaveLength(1);
    expect(() => ask("two", 1)).toThrow("The limit day.requests is reached: 2 of 2 requests used.");
    expect(ask("", 1)).toHaveLength(1);
  });
});

describe("after a restart", () => {
  const sums = (startMs: number, client: string, input: number) =>
    rollUp({ startMs, client, isNamedKey: true, model: "priced", requests: 3, tokens: { input, output: 10 } });
  const { startMs: thisHour } = boundsOf("hour", START_MS);

  it("starts from the ledger, which the first request waits for", async () => {
    let opened = 0;
    const { rollUps } = ledgerOf({
      hour: [sums(thisHour - HOUR_MS, "one", 7), sums(thisHour, "one", 400), sums(thisHour, "two", 90)],
      day: [sums(boundsOf("day", START_MS).startMs, "one", 5_417), sums(boundsOf("day", START_MS).startMs, "two", 90)],
    });
    const { tokens } = sums(0, "", 490);
    earlier = {
      ready: async () => void opened++,
      rollUps,
      thread: (thread) => (thread === "t1" ? { requests: 9, unadmitted: 3, tokens } : undefined),
    };
    const guard = start();
    expect(opened).toBe(0);
    await Promise.all([guard.opening, guard.opening]);
    expect(opened).toBe(1);
    expect(guard.opening).toBeUndefined();
    keyLimits = { "key-1": { hour: { tokens: 410 } }, "key-2": { hour: { tokens: 410 } } };
    expect(refusal(guard, { caller: "key-1", client: "one", isNamedKey: true })?.message).toContain(
      "410 of 410 tokens",
    );
    expect(refusal(guard, { caller: "key-2", client: "two", isNamedKey: true, thread: "t2" })).toBeUndefined();
    limits = { hour: { tokens: 510 } };
    expect(refusal(guard, { thread: "t3" })?.message).toContain("510 of 510 tokens");
    limits = { day: { tokens: 5_527 } };
    expect(refusal(guard, { thread: "t3" })?.message).toContain("5,527 of 5,527 tokens");
    limits = { conversation: { requests: 6 } };
    expect(refusal(guard, { thread: "t1" })?.message).toContain("6 of 6 requests");
  });

  it("restores the hour and the day of each account that requests bring", async () => {
    const brought = { startMs: thisHour, account: "one", requests: 1, tokens: { input: 1_000 } };
    earlier = ledgerOf({ hour: [rollUp(brought)] });
    limits = { hour: { tokens: 1_000 } };
    const guard = start();
    await guard.opening;
    expect(refusal(guard, { account: "one" })?.message).toContain("1,000 of 1,000 tokens");
    for (const account of ["two", ""]) expect(refusal(guard, { account })).toBeUndefined();
  });

  it("does not look up a new conversation in the ledger", async () => {
    earlier = {
      ...ledgerOf({}),
      ready: async () => {},
      thread: () => ({ requests: 6, unadmitted: 0, tokens: sums(0, "", 1).tokens }),
    };
    limits = { conversation: { requests: 6 } };
    const guard = start();
    await guard.opening;
    expect(() => guard.admit(request({ thread: "t2" }), "ongoing")).toThrow("6 of 6 requests");
    expect(() => guard.admit(request({ thread: "t3" }), "new")).not.toThrow();
  });

  it("refuses nothing when the ledger cannot be read", async () => {
    earlier = {
      ready: async () => {},
      rollUps: () => {
        throw new Error("no ledger");
      },
      thread: () => {
        throw new Error("no ledger");
      },
    };
    limits = { day: { tokens: 100 } };
    const guard = start();
    await guard.opening;
    expect(refusal(guard)).toBeUndefined();
    expect(problems).toHaveLength(2);
  });
});

describe("a share of the plan", () => {
  const resets = new Date(START_MS + 2 * HOUR_MS).toISOString();

  it("is not requested without such a limit", () => {
    const guard = start();
    turn(guard, 1);
    guard.admitModel(request(), "ongoing", { id: "claude-x", shownAs: "claude-x" });
    expect(problems).toEqual([]);
  });

  it("refuses once it is known, and is requested again after five minutes", async () => {
    let asked = 0;
    let percentUsed = 85;
    plan = async () => {
      asked++;
      return { percentUsed, resets };
    };
    limits = { plan: { percent: 80 } };
    const guard = start();
    expect(refusal(guard)).toBeUndefined(); // no request waits for Cursor
    await Promise.resolve();
    expect(refusal(guard)).toMatchObject({
      code: "quota_exceeded",
      message: expect.stringContaining("The limit plan.percent is reached: 85 % of the plan is used (limit: 80 %)."),
    });
    percentUsed = 3;
    clock.advance(5 * 60_000 - 1);
    expect(refusal(guard)).toBeDefined();
    expect(asked).toBe(1);
    clock.advance(1);
    expect(refusal(guard)).toBeDefined();
    await Promise.resolve();
    expect(refusal(guard)).toBeUndefined();
    expect(asked).toBe(2);
  });

  it("applies to matching models, under each of their names", async () => {
    plan = () => Promise.resolve({ percentUsed: 85, resets });
    limits = { plan: { percent: 80, models: ["claude-*"] } };
    const guard = start();
    const model = (id: string, shownAs = id) =>
      guard.admitModel(request({ askedModel: "mine" }), "ongoing", { id, shownAs });
    expect(model("gpt")).toEqual([]);
    expect(model("claude-x")).toEqual([expect.stringContaining("the plan usage is not known yet")]);
    await Promise.resolve();
    expect(refusal(guard)).toBeUndefined();
    expect(model("gpt")).toEqual([]);
    expect(() => model("claude-x")).toThrow("The limit plan.percent for claude-* is reached");
    expect(() => model("x", "Claude-Y")).toThrow("plan.percent");
    limits = { plan: { percent: 90, models: ["claude-*"] } };
    expect(model("claude-x")[0]).toContain("is near: 85 % of the plan is used (limit: 90 %)");
    model("claude-x");
    expect(notices.filter(({ action }) => action === "warned")).toHaveLength(2);
  });

  it("counts what is used of the pool of a model that it names, if Cursor says which models are in which", async () => {
    const shares = { percentUsed: 55, autoPercentUsed: 20, apiPercentUsed: 85 };
    plan = () => Promise.resolve({ ...shares, autoModels: ["k3"], resets });
    limits = { plan: { percent: 80, models: ["claude-*", "k3"] } };
    const guard = start();
    const model = (id: string) => guard.admitModel(request(), "ongoing", { id, shownAs: id });
    expect(model("k3")).toHaveLength(1);
    await Promise.resolve();
    expect(model("k3")).toEqual([]);
    expect(() => model("claude-x")).toThrow("is reached: 85 % of the plan's pool Other Models is used (limit: 80 %)");
    limits = { plan: { percent: 80 } };
    expect(refusal(guard)).toBeUndefined();
  });

  it("applies to tool results as well, a tenth later", async () => {
    let percentUsed = 88;
    plan = () => Promise.resolve({ percentUsed, resets });
    limits = { plan: { percent: 80 } };
    const guard = start();
    const results = () => guard.admit(request({ leaseEndsMs: START_MS }), "results").warnings[0];
    expect(results()).toContain("lets this request through: the plan usage is not known yet");
    await Promise.resolve();
    expect(results()).toContain(
      "is reached: 88 % of the plan is used (limit: 80 %). Tool results are accepted up to 88 %.",
    );
    limits = { plan: { percent: 80, models: ["*"] } };
    const model = () => guard.admitModel(request(), "results", { id: "x", shownAs: "x" });
    expect(model()).toHaveLength(1);
    percentUsed = 89;
    clock.advance(5 * 60_000);
    expect(model()).toHaveLength(1);
    await Promise.resolve();
    expect(model).toThrow("89 % of the plan is used");
    limits = { plan: { percent: 80 } };
    expect(results).toThrow(
      /the run waits for its results until .*\. To raise it: curlew limits set plan\.percent 90$/,
    );
  });

  it("does not affect requests that bring an account of their own", async () => {
    plan = () => Promise.resolve({ percentUsed: 85, resets });
    limits = { plan: { percent: 80 } };
    const guard = start();
    turn(guard, 1);
    await Promise.resolve();
    expect(refusal(guard)).toBeDefined();
    expect(guard.admit(request({ account: "account-1" }), "ongoing").warnings).toEqual([]);
    limits = { plan: { percent: 80, models: ["*"] } };
    const model = { id: "claude-x", shownAs: "claude-x" };
    expect(() => guard.admitModel(request(), "ongoing", model)).toThrow("plan.percent");
    expect(guard.admitModel(request({ account: "account-1" }), "ongoing", model)).toEqual([]);
  });

  it("warns where Cursor must not be asked, and publishes that once", () => {
    plan = undefined;
    limits = { plan: { percent: 1 } };
    const guard = start();
    for (const warnings of [turn(guard, 1), turn(guard, 1)]) {
      expect(warnings).toEqual([expect.stringContaining("plan.percent cannot be used under careful conduct")]);
    }
    expect(notices).toMatchObject([{ action: "warned", limit: "plan.percent" }]);
  });

  it("refuses nothing when it cannot be read", async () => {
    limits = { plan: { percent: 1 } };
    const guard = start();
    refusal(guard);
    await Promise.resolve();
    await Promise.resolve();
    expect(refusal(guard)).toBeUndefined();
    expect(problems).toHaveLength(1);
  });
});

describe("the request rate", () => {
  it("is limited per client, and a client may retry", () => {
    limits = { client: { concurrent: 2 } };
    const guard = start();
    const open = [request(), request()];
    for (const record of open) guard.admit(record, "ongoing");
    expect(refusal(guard)).toMatchObject({
      code: "rate_limit_exceeded",
      shouldClientRetry: true,
      retryAfterMs: 1_000,
      isOwnRefusal: true,
      message: expect.stringContaining("curlew limits set client.concurrent 4"),
    });
    expect(refusal(guard, { client: "other/2" })).toBeUndefined();
    expect(refusal(guard, { caller: "key-1" })).toBeUndefined();
    const [first] = open;
    if (first !== undefined) publish("curlew:request:failed", first);
    expect(refusal(guard)).toBeUndefined();
    expect(notices).toMatchObject([{ action: "refused", limit: "client.concurrent" }]);
  });

  it("is limited for all programs of a key together, whatever their names", () => {
    limits = { client: { perMinute: 3 } };
    const guard = start();
    const sent = Array.from({ length: 30 }, (_, count) =>
      refusal(guard, { caller: "key-1", client: `program/${count}` }),
    );
    expect(sent.filter((refused) => refused === undefined)).toHaveLength(24);
    expect(sent.at(-1)).toMatchObject({ code: "rate_limit_exceeded", retryAfterMs: 60_000 });
    expect(sent.at(-1)?.message).toContain("All programs with this key together have sent 24 requests within a minute");
    expect(refusal(guard, { caller: "key-2", client: "program/1" })).toBeUndefined();
  });

  it("is limited per account that requests bring", () => {
    limits = { client: { concurrent: 1 } };
    const guard = start();
    guard.admit(request({ account: "account-1" }), "ongoing");
    expect(() => guard.admit(request({ account: "account-1" }), "ongoing")).toThrow("1 requests open");
    expect(() => guard.admit(request({ account: "account-2" }), "ongoing")).not.toThrow();
    expect(() => guard.admit(request(), "ongoing")).not.toThrow();
  });

  it("counts two requests with the same id", () => {
    limits = { client: { concurrent: 2 } };
    const guard = start();
    const twins = [0, 1].map(() => Object.assign(new RequestRecord(GATEWAY, "same", START_MS), { client: "tool/1" }));
    for (const record of twins) guard.admit(record, "ongoing");
    expect(refusal(guard)).toBeDefined();
    for (const record of twins) publish("curlew:request:finished", record);
    for (const record of [request(), request()]) guard.admit(record, "ongoing");
    expect(refusal(guard)).toBeDefined();
  });

  it("is limited per minute, too", () => {
    limits = { client: { perMinute: 3 } };
    const guard = start();
    for (let sent = 0; sent < 3; sent++) turn(guard, 1);
    clock.advance(20_000);
    expect(refusal(guard)).toMatchObject({
      code: "rate_limit_exceeded",
      retryAfterMs: 40_000,
      shouldClientRetry: true,
    });
    clock.advance(40_000);
    expect(refusal(guard)).toBeUndefined();
  });
});

describe("many cold turns of a conversation in a row", () => {
  const cold = { continuity: "cold:edited", sentAgainTokens: 24_000, cacheMiss: "messages" } as const;

  /** Plays a turn and returns its delay. */
  function play(guard: SpendGuard, changes: Partial<RequestRecord>): number {
    const record = request(changes);
    const { waitMs } = guard.admit(record, record.round > 0 ? "results" : "ongoing");
    publish("curlew:request:finished", record);
    return waitMs;
  }

  it("are delayed from the sixth on, with the reason", () => {
    const guard = start();
    const waits = Array.from({ length: 12 }, () => play(guard, cold));
    expect(waits).toEqual([0, 0, 0, 0, 0, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
    expect(play(guard, { thread: "t2" })).toBe(0);
    expect(notices.at(0)).toMatchObject({ action: "slowed", limit: "cold-turns" });
    expect(notices.at(0)?.message).toContain(
      "5 turns in a row sent 120,000 tokens again because earlier messages change each time",
    );
  });

  it("are forgotten after a warm one, and after ten minutes", () => {
    const guard = start();
    for (let turns = 0; turns < 7; turns++) play(guard, cold);
    expect(play(guard, { continuity: "warm" })).toBe(4_000);
    expect(play(guard, cold)).toBe(0);
    for (let turns = 0; turns < 7; turns++) play(guard, cold);
    clock.advance(10 * 60_000);
    expect(play(guard, cold)).toBe(0);
  });

  it("are not reset by tool results, nor counted when they are small", () => {
    const guard = start();
    for (let turns = 0; turns < 5; turns++) {
      play(guard, cold);
      play(guard, { continuity: "warm", round: 1 });
      play(guard, { continuity: "cold:new", sentAgainTokens: 0 });
    }
    expect(play(guard, cold)).toBe(1_000);
    for (let turns = 0; turns < 20; turns++) play(guard, { ...cold, sentAgainTokens: 9_000, thread: "small" });
    expect(play(guard, { thread: "small" })).toBe(0);
  });
});
