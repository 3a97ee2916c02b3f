import { expect, it } from "vitest";
import { FillTexts } from "./fill-texts.js";

it("makes different texts of the given lengths, none of them shown", () => {
  const texts = new FillTexts(["b", "bb bbb"]);
  for (const bytes of [1, 2, 3, 300]) {
    const made = Array.from({ length: 100 }, () => texts.next(bytes).toString());
    expect(new Set(made).size).toBe(100);
    expect(made.every((text) => Buffer.byteLength(text) === bytes)).toBe(true);
    expect(made).not.toContain("b".repeat(Math.min(bytes, 3)));
  }
  expect(texts.next(0)).toHaveLength(0);
  for (const [bytes, escapes] of [
    [9, 2],
    [1, 1],
    [3, 0],
  ] as const) {
    for (const text of [texts.next(bytes, escapes).toString(), texts.same(bytes, escapes).toString()])
      expect([text.length, JSON.stringify(text).length - 2]).toEqual([bytes, bytes + escapes]);
  }
  expect(texts.same(3)).toEqual(texts.same(3));
  expect(texts.same(3).toString()).toBe("ccc");
});
