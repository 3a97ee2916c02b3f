import { describe, expect, it } from "vitest";
import { AnswerFormats } from "../formats/answer-formats.js";
import { FormatKeeper } from "../formats/format-keeper.js";
import { ReplyLimits } from "../limits/reply-limits.js";
import { ThinkTags } from "../manners/think-tags.js";
import { WrittenCalls } from "../manners/written-calls.js";
import { GatewayError } from "../turn/error.js";
import type { Batch, TurnEvent } from "../turn/event.js";
import { ReplyEvents, type Step } from "./relay.js";

const text = (delta: string): TurnEvent => ({ type: "text", delta });
const fail = new GatewayError("upstream_error", "Gone.");

const thinkTags = () => new ThinkTags();
const writtenCalls = () => new WrittenCalls([{ name: "read", description: "", inputSchema: {} }], () => "id");
const stop = () => new ReplyLimits({ stop: ["STOP"] });

/** A reply whose stream breaks off behind these batches, and how often its end was told. */
function breakOff(batches: readonly Batch[], ...steps: Step[]) {
  async function* source(): AsyncGenerator<Batch, undefined> {
    yield* batches;
    throw fail;
  }
  let ends = 0;
  const events = new ReplyEvents({
    source: source(),
    steps,
    onFinish: async (batch) => ({ batch }),
    onEnd: (failure) => {
      ends++;
      return failure;
    },
  });
  return { events, ends: () => ends };
}

describe("a reply that breaks off", () => {
  const form = '<tool_call>{"name":"read","arguments":{"path":"';

  it.each<[string, string, (() => Step)[], TurnEvent[]]>([
    ["the beginning of a tag", "<thi", [thinkTags], [text("<thi")]],
    ["the end of a tag", "<think>hm</th", [thinkTags], [{ type: "thinking", delta: "</th" }]],
    ["a written call", form, [writtenCalls], [text(form)]],
    ["the beginning of a stop sequence", "STO", [stop], [text("STO")]],
    ["one thing after the other", `${form}STO`, [thinkTags, writtenCalls, stop], [text(form), text("STO")]],
  ])("gives out what was held back as %s, then the error, and has ended once", async (_, words, steps, held) => {
    const { events, ends } = breakOff(
      [[{ type: "thinking", delta: "well" }], [text(words)]],
      ...steps.map((make) => make()),
    );
    await events.prime();
    await events.next();
    const batches: Batch[] = [];
    await expect(
      (async () => {
        for await (const batch of events) batches.push(batch);
      })(),
    ).rejects.toBe(fail);
    expect(batches.at(-1)).toEqual(held);
    expect(ends()).toBe(1);
  });

  it("gives out no more of it than a limit allows", async () => {
    const { events } = breakOff([[text("one ")], [text(`${form}STOP two`)]], writtenCalls(), stop());
    await events.next();
    expect((await events.next()).value).toEqual([text(form), { type: "finish", reason: "stop", stopSequence: "STOP" }]);
    await expect(events.next()).rejects.toBe(fail);
  });

  it("gives out nothing of an answer that was to have a format", async () => {
    const check = await new AnswerFormats().checkOf({ type: "json" });
    const { events } = breakOff([[text('{"a":')]], new FormatKeeper(check));
    await expect(events.next()).rejects.toBe(fail);
  });

  it("before its first event is an error and nothing else, though something was held back", async () => {
    await expect(breakOff([[text("STO")]], stop()).events.prime()).rejects.toBe(fail);
  });
});
