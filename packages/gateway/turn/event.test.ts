import { describe, expect, it } from "vitest";
import { sampleUsage } from "../../../testing/samples/sample-usage.js";
import { type Usage, usageInContext, usageOfLastCall } from "./event.js";

const usage = (inputTokens: number, cacheReadTokens: number, cacheWriteTokens: number): Usage => ({
  ...sampleUsage,
  inputTokens,
  cacheReadTokens,
  cacheWriteTokens,
});

describe("the usage that a reply reports of its turn", () => {
  it.each([
    {
      name: "one call, whose context also holds the answer",
      turn: usage(900, 400, 499),
      context: 970,
      reported: [900, 400, 499],
    },
    { name: "many calls", turn: usage(282_574, 240_000, 42_574), context: 22_000, reported: [22_000, 18_685, 3_315] },
    { name: "more cached than read", turn: usage(100, 150, 20), context: 50, reported: [50, 50, 0] },
    { name: "nothing at all", turn: usage(0, 0, 0), context: 50, reported: [0, 0, 0] },
  ])("$name: never more cached than read", ({ turn, context, reported }) => {
    const reply = usageInContext(turn, context);
    expect([reply.inputTokens, reply.cacheReadTokens, reply.cacheWriteTokens]).toEqual(reported);
    expect(reply).toMatchObject({ outputTokens: 20, reasoningTokens: 8, estimated: false });
  });

  it("is the turn's own after one call, otherwise a marked estimate", () => {
    expect(usageOfLastCall(usage(900, 400, 0), 1, 5_000)).toEqual(usage(900, 400, 0));
    expect(usageOfLastCall(usage(9_000, 6_000, 0), 3, 10)).toMatchObject({ inputTokens: 3_000, estimated: true });
    expect(usageOfLastCall(usage(9_000, 6_000, 0), 3, 4_000)).toMatchObject({ inputTokens: 4_000, estimated: true });
  });
});
