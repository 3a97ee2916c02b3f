import { describe, expect, it } from "vitest";
import { userTurn } from "../../../testing/backends/scripted/index.js";
import { gatewaySettings } from "../../../testing/gateway/make-gateway.js";
import { runContext, settled, text, thinking, tool } from "../../../testing/samples/sample-turns.js";
import { GatewayError } from "../turn/error.js";
import type { Batch, TurnEvent } from "../turn/event.js";
import type { Turn } from "../turn/turn.js";
import { AnswerFormats } from "./formats/answer-formats.js";
import { Relay } from "./relay.js";
import { ReplySteps } from "./reply-steps.js";
import type { Request } from "./request.js";
import { randomIds } from "./sessions/positions.js";

const fail = new GatewayError("upstream_error", "Gone.");

interface Passing {
  thinkTags?: boolean;
  writtenCalls?: boolean;
  turn?: Partial<Turn>;
  check?: Request["check"];
}

/** A reply whose stream breaks off after these batches, with a count of its reported ends. */
function breakOff(batches: readonly Batch[], { thinkTags = false, writtenCalls = false, turn, check }: Passing) {
  async function* source(): AsyncGenerator<Batch, undefined> {
    yield* batches;
    throw fail;
  }
  let ends = 0;
  const request = { turn: userTurn("hi", turn), check, callable: [tool("read")], context: runContext() };
  const settings = { ...gatewaySettings, thinkTags, writtenCalls };
  const steps = new ReplySteps({ settings, newIds: { ...randomIds, call: () => "call_1" } }, request);
  const events = new Relay(source(), steps, {
    observe: () => {},
    saveLast: () => {},
    finish: async (batch) => ({ batch }),
    end: (failure) => {
      ends++;
      return failure;
    },
  });
  return { events, ends: () => ends };
}

describe("a reply that breaks off", () => {
  const form = '<tool_call>{"name":"read","arguments":{"path":"';
  const thinkTags = true;
  const writtenCalls = true;
  const turn = { stop: ["STOP"] };

  it.each<[string, string, Passing, TurnEvent[]]>([
    ["the beginning of a tag", "<thi", { thinkTags }, [text("<thi")]],
    ["the end of a tag", "<think>hm</th", { thinkTags }, [thinking("</th")]],
    ["a written call", form, { writtenCalls }, [text(form)]],
    ["the beginning of a stop sequence", "STO", { turn }, [text("STO")]],
    ["one thing after the other", `${form}STO`, { thinkTags, writtenCalls, turn }, [text(form), text("STO")]],
  ])("flushes what was held back as %s, then throws the error, and ends once", async (_, words, passing, held) => {
    const { events, ends } = breakOff([[thinking("well")], [text(words)]], passing);
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

  it("flushes no more than a limit allows", async () => {
    const { events } = breakOff([[text("one ")], [text(`${form}STOP two`)]], { writtenCalls, turn });
    await events.next();
    expect((await events.next()).value).toEqual([text(form), { type: "finish", reason: "stop", stopSequence: "STOP" }]);
    await expect(events.next()).rejects.toBe(fail);
  });

  it("flushes nothing of an answer that must have a format", async () => {
    const check = new AnswerFormats().checkOf({ type: "json" });
    const { events } = breakOff([[text('{"a":')]], { check });
    await expect(events.next()).rejects.toBe(fail);
  });

  it("before its first event only throws, even if something was held back", async () => {
    await expect(breakOff([[text("STO")]], { turn }).events.prime()).rejects.toBe(fail);
  });
});

it("has begun with the first batch from upstream, even one that the client never sees", async () => {
  for (const [batches, hasBegun] of [
    [[], false],
    [[[settled]], true],
  ] as const) {
    const { events } = breakOff(batches, {});
    await expect(events.prime()).rejects.toBe(fail);
    expect(events.hasBegun).toBe(hasBegun);
  }
});
