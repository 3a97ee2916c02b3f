import { describe, expect, it } from "vitest";
import { settled, text, thinking } from "../../../testing/samples/sample-turns.js";
import type { TurnEvent } from "../turn/event.js";
import { ReplyJournal } from "./reply-state.js";

const staged: TurnEvent = { ...settled, state: Buffer.of(2), phase: "staged" };
const said = text("words");
const call: TurnEvent = { type: "call", id: "call_1", name: "t", runs: "client" };

describe("the checkpoint of a reply", () => {
  it.each([
    { name: "one after all text", events: [said, settled], kept: settled },
    { name: "the newest", events: [said, staged, settled], kept: settled },
    { name: "a staged one followed by its calls", events: [said, staged, call], kept: staged },
    { name: "none before words", events: [settled, said], kept: undefined },
    { name: "none before thinking", events: [staged, call, thinking("hm")], kept: undefined },
    { name: "none that lacks a call", events: [settled, call], kept: undefined },
  ])("is $name", ({ events, kept }) => {
    const journal = new ReplyJournal();
    for (const event of events) journal.fromUpstream([event]);
    expect(journal.checkpoint).toEqual(kept);
  });

  it("never goes to the client", () => {
    expect(new ReplyJournal().fromUpstream([said, settled, call])).toEqual([said, call]);
  });
});
