import { describe, expect, it } from "vitest";
import { userTurn } from "../../../../testing/backends/scripted/index.js";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { type ErrorCode, GatewayError } from "../../turn/error.js";
import type { Turn } from "../../turn/turn.js";
import { FailureBreaker } from "./failure-breaker.js";

const failure = (code: ErrorCode = "upstream_error", retryAfterMs?: number) =>
  new GatewayError(code, "Cursor failed.", { isRetryable: true, ...(retryAfterMs !== undefined && { retryAfterMs }) });

function setUp() {
  const clock = new ManualClock();
  const breaker = new FailureBreaker(clock.now);
  const admit = (turn: Turn = userTurn("hi"), owner = "me") => breaker.admit(turn, owner);
  /** The error that a request is refused with; undefined when it passes. */
  const refusal = (turn?: Turn, owner?: string) => {
    try {
      admit(turn, owner);
      return undefined;
    } catch (thrown) {
      return GatewayError.from(thrown);
    }
  };
  const fail = (code?: ErrorCode, turn?: Turn) => admit(turn).failed(failure(code));
  return { clock, breaker, admit, refusal, fail };
}

describe("a request that has failed", () => {
  it("is refused with the same error, marked, until the hold ends", () => {
    const { clock, refusal, fail } = setUp();
    expect(fail()).toMatchObject({ retryAfterMs: 2_000, isFromBreaker: false, message: "Cursor failed." });
    clock.advance(500);
    expect(refusal()).toMatchObject({
      code: "upstream_error",
      retryAfterMs: 1_500,
      isFromBreaker: true,
      message:
        "Cursor failed. (Curlew did not ask Cursor again, because the same request has just failed; it will in 2 s.)",
    });
    clock.advance(1_499);
    expect(refusal()).toBeDefined();
    clock.advance(1);
    expect(refusal()).toBeUndefined();
  });

  it("is held twice as long after each further failure, up to half a minute", () => {
    const { clock, admit, fail } = setUp();
    const waits = Array.from({ length: 7 }, () => {
      const { retryAfterMs = 0 } = fail();
      clock.advance(retryAfterMs - 1);
      expect(() => admit()).toThrow();
      clock.advance(1);
      return retryAfterMs;
    });
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it("is let through once and without retries, while others still get the error", () => {
    const { clock, admit, refusal, fail } = setUp();
    expect(admit().maxRetries).toBeUndefined();
    fail();
    clock.advance(2_000);
    const trial = admit();
    expect(trial.maxRetries).toBe(0);
    expect(refusal()).toMatchObject({ isFromBreaker: true, retryAfterMs: 2_000 });
    trial.answering();
    expect(refusal()).toBeUndefined();
  });

  it("should not be retried by the client after our own trial has failed", () => {
    const { clock, fail } = setUp();
    expect(fail().shouldClientRetry).toBe(true);
    clock.advance(2_000);
    expect(fail().shouldClientRetry).toBe(false);
  });

  it("lets the next client try if the one on trial has left", () => {
    const { clock, admit, fail } = setUp();
    fail();
    clock.advance(2_000);
    admit().failed(new GatewayError("canceled", "The client left."));
    expect(admit().maxRetries).toBe(0);
  });

  it("is forgotten once it has succeeded", () => {
    const { clock, admit, fail } = setUp();
    fail();
    clock.advance(2_000);
    const trial = admit();
    trial.answering();
    expect(trial.ended(undefined)).toBeUndefined();
    expect(admit().maxRetries).toBeUndefined();
    expect(fail()).toMatchObject({ retryAfterMs: 2_000 });
  });

  it("counts if it fails in the middle of its answer", () => {
    const { clock, admit, refusal } = setUp();
    const permit = admit();
    permit.answering();
    clock.advance(60_000);
    expect(permit.ended(failure())).toMatchObject({ retryAfterMs: 2_000 });
    expect(refusal()).toBeDefined();
  });

  it("does not count before its answer, while another backend may still reply", () => {
    const { admit, refusal } = setUp();
    const error = failure();
    expect(admit().ended(error)).toBe(error);
    expect(refusal()).toBeUndefined();
  });

  it("counts once for two simultaneous attempts", () => {
    const { clock, admit } = setUp();
    const [one, other] = [admit(), admit()];
    clock.advance(100);
    one.failed(failure());
    clock.advance(100);
    expect(other.failed(failure())).toMatchObject({ retryAfterMs: 2_000 });
  });

  it("is forgotten after a minute without failures, or when the clock is set back", () => {
    const { clock, admit, fail } = setUp();
    fail();
    clock.advance(60_000);
    expect(admit().maxRetries).toBeUndefined();
    const back = new ManualClock();
    let offsetMs = 0;
    const breaker = new FailureBreaker(() => back.now() - offsetMs);
    breaker.admit(userTurn("hi"), "me").failed(failure());
    offsetMs = 30 * 24 * 3_600_000;
    expect(() => breaker.admit(userTurn("hi"), "me")).not.toThrow();
  });

  it("is held as long as Cursor asks, within limits, and reports Cursor's own time", () => {
    const { clock, admit, refusal } = setUp();
    expect(admit().failed(failure("insufficient_quota", 86_400_000))).toMatchObject({ retryAfterMs: 86_400_000 });
    clock.advance(29_999);
    expect(refusal()).toMatchObject({ retryAfterMs: 86_400_000, message: expect.stringContaining("it will in 1 s") });
    clock.advance(1);
    expect(refusal()).toBeUndefined();
  });

  it("keeps only a bounded number of the newest failures", () => {
    const { refusal, fail } = setUp();
    for (let at = 0; at <= 1_000; at++) fail("upstream_error", userTurn(`question ${at}`));
    expect(refusal(userTurn("question 0"))).toBeUndefined();
    for (const at of [1, 1_000]) expect(refusal(userTurn(`question ${at}`))).toBeDefined();
  });
});

describe("which failures are held at once", () => {
  it.each<ErrorCode>([
    "upstream_error",
    "provider_error",
    "network_blocked",
    "client_outdated",
    "timeout",
    "overloaded",
    "upstream_overloaded",
    "debounced",
    "insufficient_quota",
    "format_not_met",
  ])("%s is", (code) => {
    const { refusal, fail } = setUp();
    fail(code);
    expect(refusal()).toMatchObject({ code });
  });

  it.each<ErrorCode>([
    "invalid_request",
    "model_not_found",
    "context_length_exceeded",
    "cursor_login_required",
    "permission_denied",
    "canceled",
    "shutting_down",
    "upstream_unreachable",
    "server_error",
  ])("%s is not", (code) => {
    const { admit, refusal } = setUp();
    const error = failure(code);
    expect(admit().failed(error)).toBe(error);
    expect(refusal()).toBeUndefined();
  });

  it("our own refusal is not, whatever its code", () => {
    const { admit, refusal } = setUp();
    const error = failure("overloaded").with({ isOwnRefusal: true });
    expect(admit().failed(error)).toBe(error);
    expect(refusal()).toBeUndefined();
  });
});

describe("a refusal of Cursor", () => {
  it("allows a few immediate attempts, as a user makes them, but not endless ones", () => {
    const { clock, admit, refusal } = setUp();
    const refused = failure("context_length_exceeded");
    for (let attempt = 0; attempt < 3; attempt++) expect(admit().failed(refused)).toBe(refused);
    expect(admit().maxRetries).toBeUndefined();
    expect(admit().failed(refused)).toMatchObject({ retryAfterMs: 2_000 });
    expect(refusal()).toMatchObject({ code: "context_length_exceeded", isFromBreaker: true });
    expect(refusal(userTurn("something shorter"))).toBeUndefined();
    clock.advance(2_000);
    expect(admit().failed(refused)).toMatchObject({ retryAfterMs: 4_000 });
    clock.advance(60_000);
    expect(admit().failed(refused)).toBe(refused);
  });

  it.each<ErrorCode>(["invalid_api_key", "cursor_login_required", "cursor_unauthorized"])(
    "is held sooner if it concerns the login, which is tried twice each time: %s",
    (code) => {
      const { clock, admit, refusal } = setUp();
      const refused = failure(code);
      expect(admit().failed(refused)).toBe(refused);
      expect(admit().failed(refused)).toMatchObject({ retryAfterMs: 8_000 });
      expect(refusal()).toBeDefined();
      clock.advance(8_000);
      expect(refusal()).toBeUndefined();
    },
  );

  it("is forgotten after an answer", () => {
    const { admit } = setUp();
    const refused = failure("provider_rejected");
    for (let attempt = 0; attempt < 3; attempt++) admit().failed(refused);
    const permit = admit();
    permit.answering();
    permit.ended(undefined);
    expect(admit().failed(refused)).toBe(refused);
  });
});

describe("a request that we retry ourselves", () => {
  const other = userTurn("something else");

  it("makes equal requests wait for its outcome", async () => {
    const { breaker, admit } = setUp();
    const permit = admit();
    expect(breaker.retryOf(userTurn("hi"), "me")).toBeUndefined();
    permit.retrying(failure());
    permit.retrying(failure());
    let isOver = false;
    const waiting = breaker.retryOf(userTurn("hi"), "me")?.then(() => {
      isOver = true;
    });
    expect(waiting).toBeDefined();
    for (const [turn, owner] of [
      [other, "me"],
      [userTurn("hi"), "you"],
    ] as const) {
      expect(breaker.retryOf(turn, owner)).toBeUndefined();
    }
    await Promise.resolve();
    expect(isOver).toBe(false);
    permit.failed(failure());
    await waiting;
    expect(breaker.retryOf(userTurn("hi"), "me")).toBeUndefined();
    expect(() => admit()).toThrow("Cursor failed.");
  });

  it("releases them when it is answered or its client leaves", async () => {
    const { breaker, admit } = setUp();
    for (const end of ["answering", "canceled"] as const) {
      const permit = admit();
      permit.retrying(failure());
      const waiting = breaker.retryOf(userTurn("hi"), "me");
      if (end === "answering") permit.answering();
      else permit.failed(failure("canceled"));
      await waiting;
      expect(() => admit()).not.toThrow();
    }
  });

  it("delays no request after its first word", () => {
    const { breaker, admit } = setUp();
    const permit = admit();
    permit.answering();
    permit.retrying(failure());
    permit.ended(undefined);
    permit.retrying(failure());
    expect(breaker.retryOf(userTurn("hi"), "me")).toBeUndefined();
  });
});

describe("another request passes", () => {
  const asked = userTurn("hi", { system: "You help." });
  const tool = { name: "read", description: "Reads.", inputSchema: { type: "object" } };

  it.each<[string, Turn, string?]>([
    ["other words", userTurn("hello", { system: "You help." })],
    ["another model", { ...asked, model: "gpt" }],
    ["another owner", asked, "you"],
    ["other tools", { ...asked, tools: [tool] }],
    ["another effort", { ...asked, effort: "high" }],
    ["another format", { ...asked, format: { type: "json" } }],
    ["another tool choice", { ...asked, toolChoice: { type: "none" } }],
    ["other rules", { ...asked, system: "You summarise a letter from Kiel." }],
    ["one more message", { ...asked, messages: [...asked.messages, ...userTurn("and?").messages] }],
  ])("with %s", (_, other, owner) => {
    const { refusal, fail } = setUp();
    fail("upstream_error", asked);
    expect(refusal(asked)).toBeDefined();
    expect(refusal(other, owner)).toBeUndefined();
  });
});

describe("a repeated request stays the same despite changes of", () => {
  const system = "You help.\nToday is 2026-11-15, 12:00:01.\nSession 3f2a8c11-0000-4000-8000-000000000001";
  const asked = userTurn("hi", { system });
  const reminded = "<system-reminder>It is noon.</system-reminder>hi ";

  it.each<[string, Turn]>([
    [
      "time and session in the system prompt",
      { ...asked, system: system.replace("01.", "09.").replace("3f2a", "77aa") },
    ],
    ["white space in it", { ...asked, system: `${system}\n` }],
    ["the length of the answer", { ...asked, maxTokens: 100 }],
    ["reminders and parts of a message", { ...asked, messages: userTurn(reminded).messages }],
    ["warnings", { ...asked, warnings: ["Ignored."] }],
  ])("%s", (_, again) => {
    const { refusal, fail } = setUp();
    fail("upstream_error", asked);
    expect(refusal(again)).toBeDefined();
  });
});

describe("a limit", () => {
  const other = userTurn("something else");

  it("holds only requests of the same owner for the same model", () => {
    const { clock, refusal, fail } = setUp();
    expect(fail("rate_limit_exceeded")).toMatchObject({ retryAfterMs: 2_000, shouldClientRetry: true });
    expect(refusal(other)).toMatchObject({
      code: "rate_limit_exceeded",
      retryAfterMs: 2_000,
      shouldClientRetry: true,
      message:
        "This model is rate-limited. (Curlew did not ask Cursor again, because Cursor has just set a limit for this " +
        "model; it will in 2 s.)",
    });
    expect(refusal()?.message).toMatch(/^Cursor failed\. .*the same request has just failed; it will in 2 s/);
    expect(refusal({ ...other, model: "gpt" })).toBeUndefined();
    expect(refusal(other, "you")).toBeUndefined();
    clock.advance(2_000);
    expect(refusal(other)).toBeUndefined();
  });

  it("grows with each further one, lets all pass when it is over, and ends with an answer", () => {
    const { clock, admit, refusal, fail } = setUp();
    fail("rate_limit_exceeded");
    clock.advance(2_000);
    const permits = [admit(other), admit(userTurn("a third"))];
    expect(permits.map(({ maxRetries }) => maxRetries)).toEqual([0, 0]);
    permits[0]?.failed(failure("rate_limit_exceeded"));
    clock.advance(3_999);
    expect(refusal(userTurn("a fourth"))).toBeDefined();
    permits[1]?.answering();
    permits[1]?.ended(undefined);
    expect(admit(userTurn("a fourth")).maxRetries).toBeUndefined();
  });
});
