import { expect, it } from "vitest";
import { visibleRows } from "./visible-rows.js";

it.each([
  ["an empty list", [0, 28, 0, 280], { from: 0, to: 0 }],
  ["the top", [500, 28, 0, 280], { from: 0, to: 18 }],
  ["the middle", [500, 28, 2_800, 280], { from: 92, to: 118 }],
  ["the end", [500, 28, 500 * 28 - 280, 280], { from: 482, to: 500 }],
  ["a list that has become shorter", [10, 28, 9_000, 280], { from: 10, to: 10 }],
] as const)("draws what is in sight at %s", (_, [count, rowPx, top, height], rows) => {
  expect(visibleRows(count, rowPx, top, height)).toEqual(rows);
});
