import { describe, expect, it } from "vitest";
import { called, callOf, stopped, text, thinking } from "../../../../testing/samples/sample-turns.js";
import type { Batch, TurnEvent } from "../../turn/event.js";
import { slicings } from "../quirks/slicings.cases.js";
import { LengthLimit, ReplyLimits, refuseBadLimits } from "./reply-limits.js";

describe("a stop sequence and a length", () => {
  it.each([
    ["012345678 END", 2, "END", { type: "finish", reason: "stop", stopSequence: "END" }],
    ["0123456789 END", 1, "END", { type: "finish", reason: "length" }],
    ["0123456789", 2, "", { type: "finish", reason: "stop" }],
  ])("end %j of %i tokens once, at the first limit", (words, maxTokens, sequence, end) => {
    const limits = new ReplyLimits({ stop: [sequence], maxTokens });
    const passed = limits.push([text(words), { type: "finish", reason: "stop" }]);
    expect(passed.filter(({ type }) => type === "finish")).toEqual([end]);
    expect(passed.at(-1)).toEqual(end);
    expect(limits.hasEnded).toBe(JSON.stringify(end) !== '{"type":"finish","reason":"stop"}');
  });
});

describe("an invalid limit", () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("is refused: %s tokens", (maxTokens) => {
    expect(() => refuseBadLimits({ maxTokens })).toThrow(
      expect.objectContaining({ code: "invalid_request", param: "max_tokens" }),
    );
  });

  it("is refused: very long sequences", () => {
    const stop = ["x".repeat(20_000), "y".repeat(20_000)];
    expect(() => refuseBadLimits({ stop })).toThrow(expect.objectContaining({ param: "stop" }));
    expect(() => refuseBadLimits({ stop: stop.slice(1), maxTokens: 1 })).not.toThrow();
  });
});

const cut: TurnEvent = { type: "finish", reason: "length" };

function whole(id: string, input: string, runs: "client" | "backend" = "client"): TurnEvent[] {
  return callOf(id, "write", input).map((event) => (event.type === "call" ? { ...event, runs } : event));
}

describe("a limit of two tokens", () => {
  it("cuts after ten characters, however they are sliced", () => {
    for (const slices of slicings("0123456789abcdef")) {
      const step = new LengthLimit(2);
      const events = slices.flatMap((delta) => (step.hasEnded ? [] : step.push([text(delta)])));
      const said = events.map((event) => (event.type === "text" ? event.delta : "")).join("");
      expect([said, events.at(-1), step.hasEnded]).toEqual(["0123456789", cut, true]);
    }
  });

  it("passes a reply of exactly that length as the same array", () => {
    const step = new LengthLimit(2);
    const batch: Batch = [text("0123456789"), stopped];
    expect(step.push(batch)).toBe(batch);
    expect(step.hasEnded).toBe(false);
  });

  it("does not count thinking, and drops it after the limit", () => {
    const long = thinking("0123456789abcdef");
    const step = new LengthLimit(2);
    expect(step.push([long, text("01234567")])).toEqual([long, text("01234567")]);
    expect(step.push([text("89ab"), long])).toEqual([text("89"), cut]);
  });

  it("does not cut through a character", () => {
    expect(new LengthLimit(2).push([text("012345678\u{1f986}b")])).toEqual([text("012345678\u{1f986}"), cut]);
    expect(new LengthLimit(2).push([text("0123456789\u{1f986}")])).toEqual([text("0123456789"), cut]);
  });

  it("keeps the usage of a turn that was over in the same batch", () => {
    const usage = { type: "usage" } as TurnEvent;
    expect(new LengthLimit(2).push([text("0123456789ab"), usage, stopped])).toEqual([text("0123456789"), usage, cut]);
  });
});

describe("calls", () => {
  it("that have begun are sent whole, and end the reply", () => {
    const step = new LengthLimit(2);
    const batch: Batch = [text("01234567"), ...whole("1", '{"text":"0123456789"}'), called];
    expect(step.push(batch)).toBe(batch);
    expect(step.hasEnded).toBe(false);
  });

  it("that would begin after the limit are not sent", () => {
    const step = new LengthLimit(2);
    expect(step.push([text("0123456789"), ...whole("1", "{}"), called])).toEqual([text("0123456789"), cut]);
    expect(step.hasEnded).toBe(true);
  });

  it("after one that reached the limit wait for the next reply; text is dropped", () => {
    const first = whole("1", '{"text":"0123456789"}');
    const step = new LengthLimit(2);
    const rest = [text("and "), ...whole("2", "{}"), thinking("hm"), called];
    expect([...first, ...rest].flatMap((event) => step.push([event]))).toEqual([...first, called]);
    expect(step.hasEnded).toBe(false);
  });

  it("that run elsewhere count, but do not end the reply", () => {
    const step = new LengthLimit(2);
    const elsewhere: TurnEvent[] = [
      ...whole("1", '{"text":"0123456789"}', "backend"),
      { type: "call-result", id: "1", summary: "ok" },
    ];
    expect(step.push([...elsewhere, text("so")])).toEqual([...elsewhere, cut]);
  });
});
