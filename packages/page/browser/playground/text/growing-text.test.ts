import { describe, expect, it } from "vitest";
import { GrowingText } from "./growing-text.js";

function grown(whole: string, sliceChars: number): GrowingText {
  const text = new GrowingText();
  for (let at = 0; at < whole.length; at += sliceChars) text.push(whole.slice(at, at + sliceChars));
  text.end();
  return text;
}

const blocksOf = ({ sections }: GrowingText) => sections.flatMap(({ blocks }) => blocks);

describe.each([
  ["lines", "A curlew is a wading bird.\n".repeat(800)],
  ["words", "curlew ".repeat(3_000)],
  ["one endless word", "x".repeat(20_000)],
  ["surrogate pairs", "😀".repeat(10_000)],
])("a long text of %s", (_, whole) => {
  it.each([1, 7, 999, 1_000_000])("is split into small blocks if fed in slices of %d", (size) => {
    const text = grown(whole, size);
    expect(text.whole).toBe(whole);
    const blocks = blocksOf(text);
    expect(blocks.join("")).toBe(whole);
    expect(Math.max(...blocks.map(({ length }) => length))).toBeLessThanOrEqual(3_001);
    expect(blocks.length).toBeLessThan(whole.length / 1_000);
  });

  it("never changes a finished block", () => {
    const text = new GrowingText();
    const seen: string[] = [];
    for (let at = 0; at < whole.length; at += 50) {
      text.push(whole.slice(at, at + 50));
      const blocks = blocksOf(text);
      const ended = blocks.at(-2);
      if (ended === undefined) continue;
      seen[blocks.length - 2] ??= ended;
      expect(ended).toBe(seen[blocks.length - 2]);
    }
  });
});

it("never splits a surrogate pair", () => {
  const blocks = blocksOf(grown(`a${"😀".repeat(10_000)}`, 1_000_000));
  for (const block of blocks) expect(block).toBe(block.toWellFormed());
});

it("separates code from prose, and keeps the original text", () => {
  const whole = "Look:\r\n```js\r\nlet a;\r\n```\r\nDone \u001b[1m.\r";
  for (let size = 1; size <= whole.length; size++) {
    const text = grown(whole, size);
    expect(text.whole).toBe(whole);
    expect(text.sections.map(({ kind, language, blocks }) => [kind, language, blocks.join("")])).toEqual([
      ["prose", "", "Look:\n"],
      ["code", "js", "let a;\n"],
      ["prose", "", "Done ␛[1m.␍"],
    ]);
  }
});

it("notifies only when there is more to show", () => {
  const text = new GrowingText();
  let told = 0;
  const stop = text.subscribe(() => told++);
  text.push("");
  text.push("``");
  expect(told).toBe(0);
  text.push("x");
  expect(told).toBe(1);
  stop();
  text.push("y");
  expect(told).toBe(1);
});
