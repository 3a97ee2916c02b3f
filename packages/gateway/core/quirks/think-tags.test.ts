import { describe, expect, it } from "vitest";
import { settled as checkpoint, stopped as finish, text, thinking } from "../../../../testing/samples/sample-turns.js";
import type { Batch, TurnEvent } from "../../turn/event.js";
import { digest, feed, seededRandom, slicings } from "./slicings.cases.js";
import { ThinkTags } from "./think-tags.js";

const call: TurnEvent = { type: "call", id: "1", name: "bash", runs: "client" };
const ran: TurnEvent = { type: "call-result", id: "1", summary: "done" };

describe("leaked thinking", () => {
  it.each([
    ["<think>plan</think>answer", "plan", "answer"],
    ["<thinking>plan</thinking>answer", "plan", "answer"],
    ["\n \t<think>plan</think>answer", "plan", "answer"],
    [`${" ".repeat(64)}<think>plan</think>answer`, "plan", "answer"],
    ["<think>\nplan\n</think>\r\n\r\n    answer", "\nplan\n", "    answer"],
    ["<think></think>answer", "", "answer"],
    ["<think>plan</think>", "plan", ""],
    ["<think>plan</think>\n\n", "plan", ""],
    ["<think>a < b, </thin, </thinking> and <think></think>answer", "a < b, </thin, </thinking> and <think>", "answer"],
    ["<thinking>a </think> b</thinking>answer", "a </think> b", "answer"],
    ["<think>one</think>answer <think>two</think>", "one", "answer <think>two</think>"],
    ["<think>one</think>\n<think>two</think>", "one", "<think>two</think>"],
    ["<think>never closed", "never closed", ""],
    ["<think>cut in the middle of </thin", "cut in the middle of </thin", ""],
    ["<think>", "", ""],
    ["<think>Grüße 🦆</think>🦆", "Grüße 🦆", "🦆"],
  ])("is found in %j", (whole, thought, said) => {
    for (const slices of slicings(whole)) {
      expect(digest(feed(new ThinkTags(), slices))).toMatchObject({ thinking: thought, text: said, finish: "stop" });
    }
  });

  it.each([
    "answer",
    "answer <think>plan</think>",
    "`<think>` is a tag",
    "<thinker>x</thinker>",
    "<Think>x</Think>",
    "<think x>y</think>",
    "< think>x</think>",
    "<<think>x</think>",
    "</think>answer",
    "<thin",
    "  <",
    " \n ",
    `${" ".repeat(65)}<think>plan</think>`,
    "<div>",
  ])("is not seen in %j", (whole) => {
    for (const slices of slicings(whole)) {
      expect(digest(feed(new ThinkTags(), slices))).toMatchObject({ thinking: "", text: whole, finish: "stop" });
    }
  });

  it("never changes other text", () => {
    const random = seededRandom(7);
    const pieces = ["<", ">", "think", "thinking", "</think>", "/", " ", "\n", "x", "<think", "🦆"];
    for (let round = 0; round < 300; round++) {
      const tail = Array.from({ length: 12 }, () => pieces[Math.floor(random() * pieces.length)]).join("");
      const whole = `x${tail}`;
      for (const slices of slicings(whole)) expect(digest(feed(new ThinkTags(), slices)).text).toBe(whole);
    }
  });

  it("has the same result for every slicing", () => {
    const random = seededRandom(11);
    const pieces = ["<", "think>", "thinking>", "<think>", "</think>", "</", " ", "\n", "x"];
    for (let round = 0; round < 300; round++) {
      const whole = Array.from({ length: 10 }, () => pieces[Math.floor(random() * pieces.length)]).join("");
      const [first, ...others] = slicings(whole).map((slices) => digest(feed(new ThinkTags(), slices)));
      for (const other of others) expect(other).toEqual(first);
    }
  });
});

describe("the step over think tags", () => {
  it.each<[string, Batch]>([
    ["plain text", [text("Hello"), finish]],
    ["text with a tag inside", [text("Hello <think>"), text("x</think>"), finish]],
    ["text that begins with another tag", [text("<div>"), finish]],
    ["real thinking first", [thinking("plan"), text("Hello")]],
    ["calls alone", [call, { type: "call-input", id: "1", delta: "<think>" }, { type: "call-end", id: "1" }, ran]],
    ["a finish alone", [finish]],
  ])("returns the same array for %s", (_, batch) => expect(new ThinkTags().push(batch)).toBe(batch));

  it("holds only white space and the beginning of a tag", () => {
    const held = (...deltas: string[]) => {
      const step = new ThinkTags();
      const passed = digest(deltas.flatMap((delta) => step.push([text(delta)])));
      return deltas.join("").length - passed.text.length - passed.thinking.length;
    };
    expect(held("<thinki")).toBe(7);
    expect(held("\n", " ", "<")).toBe(3);
    expect(held("<thinkx")).toBe(0);
    expect(held("x<")).toBe(0);
    expect(held(" ".repeat(65))).toBe(0);
    expect(held("<think>a</thi") - "<think>".length).toBe("</thi".length);
    expect(held("<think>a</x") - "<think>".length).toBe(0);
    expect(held("<think>a</think>b<")).toBe("<think></think>".length);
  });

  it("finds a tag after real thinking, and releases a partial one", () => {
    const step = new ThinkTags();
    const batch = [thinking("real"), text("<think>leaked</think>answer"), finish];
    expect(step.push(batch)).toEqual([thinking("real"), thinking("leaked"), text("answer"), finish]);
    expect(new ThinkTags().push([text("<th"), thinking("real"), text("ink>x")])).toEqual([
      text("<th"),
      thinking("real"),
      text("ink>x"),
    ]);
  });

  it("keeps the order when a call or the finish cuts a tag short", () => {
    expect(new ThinkTags().push([text("<thi"), call])).toEqual([text("<thi"), call]);
    expect(new ThinkTags().push([text("<think>a</th"), call, text("b")])).toEqual([
      thinking("a"),
      thinking("</th"),
      call,
      text("b"),
    ]);
    expect(new ThinkTags().push([text("<thi"), finish])).toEqual([text("<thi"), finish]);
  });

  it("ignores events without words", () => {
    const step = new ThinkTags();
    expect(step.push([text("<thi"), checkpoint, text("nk>plan</think>"), checkpoint, text("b")])).toEqual([
      checkpoint,
      thinking("plan"),
      checkpoint,
      text("b"),
    ]);
  });

  it("releases the held text when a reply breaks off", () => {
    const before = new ThinkTags();
    expect(before.push([text(" <thi")])).toEqual([]);
    expect(before.end()).toEqual([text(" <thi")]);
    expect(before.end()).toEqual([]);
    const inside = new ThinkTags();
    expect(inside.push([text("<think>a</")])).toEqual([thinking("a")]);
    expect(inside.end()).toEqual([thinking("</")]);
    expect(new ThinkTags().end()).toEqual([]);
  });
});
