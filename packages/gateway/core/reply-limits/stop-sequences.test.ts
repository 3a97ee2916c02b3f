import { describe, expect, it } from "vitest";
import { stopped as finish, text } from "../../../../testing/samples/sample-turns.js";
import { sampleUsage } from "../../../../testing/samples/sample-usage.js";
import type { Batch, TurnEvent } from "../../turn/event.js";
import { feed, seededRandom, slicings } from "../quirks/slicings.cases.js";
import { StopSequences } from "./stop-sequences.js";

const usage: TurnEvent = { type: "usage", usage: sampleUsage };

/** Feeds the slices as the gateway does: nothing more after a sequence. */
function run(sequences: readonly string[], slices: readonly string[]) {
  const step = new StopSequences(sequences);
  const guarded = {
    push: (batch: Batch) => (step.hasEnded ? [] : step.push(batch)),
    end: () => (step.hasEnded ? [] : step.end()),
  };
  const events = feed(guarded, slices);
  return { text: said(events), end: events.at(-1), finishes: events.filter(({ type }) => type === "finish").length };
}

function said(events: Batch): string {
  return events.map((event) => (event.type === "text" ? event.delta : "")).join("");
}

describe.each<[string, string[], string, string, string | undefined]>([
  ["a missing sequence", ["END"], "one two three", "one two three", undefined],
  ["one in the middle", ["END"], "one END two END", "one ", "END"],
  ["one at the beginning", ["END"], "END one", "", "END"],
  ["one at the end", ["END"], "one END", "one ", "END"],
  ["the first of several", ["four", "two", "three"], "one two three four", "one ", "two"],
  ["the longest with the same beginning", ["ab", "abcd", "abc"], "-abcd-", "-", "abcd"],
  ["the longest that is complete", ["ab", "abcd"], "-abc-", "-", "ab"],
  ["the longest complete one at the end", ["ab", "abcd"], "-abc", "-", "ab"],
  ["the one that begins first, though another ends earlier", ["abcd", "bc"], "-abcd-", "-", "abcd"],
  ["the inner one when the outer one breaks off", ["abcd", "bc"], "-abce-", "-a", "bc"],
  ["a sequence whose beginning repeats", ["aab"], "aaaab", "aa", "aab"],
  ["a beginning at the very end", ["END"], "one EN", "one EN", undefined],
  ["a line break", ["\n"], "one\ntwo", "one", "\n"],
  ["a sequence without letters", ["\u{1f986}"], "one \u{1f985} two \u{1f986} three", "one \u{1f985} two ", "\u{1f986}"],
  ["ReAct's word", ["\nObservation:"], "Action: x\nObserve\nObservation: y", "Action: x\nObserve", "\nObservation:"],
])("asked to stop at %s", (_, sequences, whole, passed, found) => {
  it("ends before it, however the text is sliced", () => {
    for (const slices of slicings(whole)) {
      const end = found === undefined ? finish : { ...finish, stopSequence: found };
      expect(run(sequences, slices), JSON.stringify(slices)).toEqual({ text: passed, end, finishes: 1 });
    }
  });
});

it("finds the same as a plain search in random texts", () => {
  const random = seededRandom(7);
  const word = (longest: number) =>
    Array.from({ length: 1 + Math.floor(random() * longest) }, () => "abc"[Math.floor(random() * 3)]).join("");
  let found = 0;
  for (let round = 0; round < 400; round++) {
    const sequences = Array.from({ length: 1 + (round % 4) }, () => word(5));
    const whole = word(30);
    const starts = sequences.map((sequence) => ({ sequence, start: whole.indexOf(sequence) }));
    const matches = starts.filter(({ start }) => start !== -1);
    const [best] = matches.sort((a, b) => a.start - b.start || b.sequence.length - a.sequence.length);
    const expected = best === undefined ? whole : whole.slice(0, best.start);
    for (const slices of slicings(whole)) {
      const result = run(sequences, slices);
      expect([sequences, slices, result.text]).toEqual([sequences, slices, expected]);
      expect(result.end).toEqual(best === undefined ? finish : { ...finish, stopSequence: best.sequence });
    }
    if (best !== undefined) found++;
  }
  expect(found).toBeGreaterThan(100);
});

describe("holding back", () => {
  it("is limited to a possible beginning", () => {
    const step = new StopSequences(["STOP", "OPEN"]);
    expect(step.push([text("one ST")])).toEqual([text("one ")]);
    expect(step.push([text("O")])).toEqual([]);
    expect(step.push([text("PE two")])).toMatchObject([{ type: "finish", stopSequence: "STOP" }]);
    const other = new StopSequences(["STOP", "OPEN"]);
    expect(other.push([text("STO")])).toEqual([]);
    expect(other.push([text("OP")])).toEqual([text("STO")]);
    expect(other.push([text("T")])).toEqual([text("OPT")]);
  });

  it("returns the same array when nothing changes", () => {
    const step = new StopSequences(["END"]);
    for (const batch of [[text("one")], [text("two"), finish], [usage]]) expect(step.push(batch)).toBe(batch);
  });

  it("ends before any other event: no sequence spans it", () => {
    const thought: TurnEvent = { type: "thinking", delta: "END" };
    const step = new StopSequences(["END"]);
    expect(step.push([text("one EN"), thought, text("D")])).toEqual([text("one "), text("EN"), thought, text("D")]);
    expect(step.push([text("E"), finish])).toEqual([text("E"), finish]);
  });

  it("ends when the reply breaks off", () => {
    const step = new StopSequences(["END"]);
    step.push([text("one EN")]);
    expect(step.end()).toEqual([text("EN")]);
    expect(step.end()).toEqual([]);
  });
});

describe("the batch of a sequence", () => {
  it("is the last, and keeps only the usage of an ended turn after the sequence", () => {
    const step = new StopSequences(["END"]);
    const call: TurnEvent = { type: "call", id: "1", name: "read", runs: "client" };
    expect(step.push([text("one END two"), call, usage, finish])).toEqual([
      text("one "),
      usage,
      { ...finish, stopSequence: "END" },
    ]);
    expect(step.hasEnded).toBe(true);
    expect(step.end()).toEqual([]);
  });
});

describe("calls", () => {
  const input = (id: string): TurnEvent => ({ type: "call-input", id, delta: '"END"' });

  it("are not searched, nor is anything after a call for the client", () => {
    const step = new StopSequences(["END"]);
    const batch: Batch = [{ type: "call", id: "1", name: "read", runs: "client" }, input("1"), text("END"), finish];
    expect(step.push(batch)).toBe(batch);
    expect(step.hasEnded).toBe(false);
  });

  it("that run elsewhere change nothing", () => {
    const step = new StopSequences(["END"]);
    step.push([{ type: "call", id: "1", name: "read", runs: "backend" }, input("1")]);
    step.push([text("END")]);
    expect(step.hasEnded).toBe(true);
  });
});
