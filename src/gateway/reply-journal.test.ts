import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../turn/event.js";
import { ReplyJournal } from "./reply-journal.js";

const settled: TurnEvent = { type: "checkpoint", state: Uint8Array.of(1), phase: "settled" };
const staged: TurnEvent = { type: "checkpoint", state: Uint8Array.of(2), phase: "staged" };
const text: TurnEvent = { type: "text", delta: "words" };
const thinking: TurnEvent = { type: "thinking", delta: "hm" };
const call: TurnEvent = { type: "call", id: "call_1", name: "t", runs: "client" };

describe("the checkpoint of a reply", () => {
  it.each([
    { name: "one after all text", events: [text, settled], kept: settled },
    { name: "the newest", events: [text, staged, settled], kept: settled },
    { name: "a staged one followed by its calls", events: [text, staged, call], kept: staged },
    { name: "none before words", events: [settled, text], kept: undefined },
    { name: "none before thinking", events: [staged, call, thinking], kept: undefined },
    { name: "none that knows nothing of a call", events: [settled, call], kept: undefined },
  ])("is $name", ({ events, kept }) => {
    const journal = new ReplyJournal();
    for (const event of events) journal.fromUpstream([event]);
    expect(journal.checkpoint).toEqual(kept);
  });

  it("never goes to the client", () => {
    expect(new ReplyJournal().fromUpstream([text, settled, call])).toEqual([text, call]);
  });
});
