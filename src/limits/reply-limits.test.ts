import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../turn/event.js";
import { ReplyLimits, refuseBadLimits } from "./reply-limits.js";

const text = (delta: string): TurnEvent => ({ type: "text", delta });

describe("a stop sequence and a length", () => {
  it.each([
    ["012345678 END", 2, "END", { type: "finish", reason: "stop", stopSequence: "END" }],
    ["0123456789 END", 1, "END", { type: "finish", reason: "length" }],
    ["0123456789", 2, "", { type: "finish", reason: "stop" }],
  ])("end %j of %i tokens once, at what comes first", (words, maxTokens, sequence, end) => {
    const limits = new ReplyLimits({ stop: [sequence], maxTokens });
    const passed = limits.push([text(words), { type: "finish", reason: "stop" }]);
    expect(passed.filter(({ type }) => type === "finish")).toEqual([end]);
    expect(passed.at(-1)).toEqual(end);
    expect(limits.hasEnded).toBe(JSON.stringify(end) !== '{"type":"finish","reason":"stop"}');
  });

  it("give back what is held when the reply breaks off", () => {
    const limits = new ReplyLimits({ stop: ["END"], maxTokens: 5 });
    expect(limits.push([text("EN")])).toEqual([]);
    expect(limits.end()).toEqual([text("EN")]);
    expect(new ReplyLimits({ maxTokens: 5 }).end()).toEqual([]);
  });
});

describe("what is no limit", () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("is refused: %s tokens", (maxTokens) => {
    expect(() => refuseBadLimits({ maxTokens })).toThrow(
      expect.objectContaining({ code: "invalid_request", param: "max_tokens" }),
    );
  });

  it("is refused: sequences without end", () => {
    const stop = ["x".repeat(20_000), "y".repeat(20_000)];
    expect(() => refuseBadLimits({ stop })).toThrow(expect.objectContaining({ param: "stop" }));
    expect(() => refuseBadLimits({ stop: stop.slice(1), maxTokens: 1 })).not.toThrow();
  });
});
