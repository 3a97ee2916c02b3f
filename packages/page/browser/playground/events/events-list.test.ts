import { expect, it } from "vitest";
import { essenceOf, visibleRows } from "./events-list.js";

it.each([
  ["an empty list", [0, 28, 0, 280], { from: 0, to: 0 }],
  ["a list at the top", [500, 28, 0, 280], { from: 0, to: 18 }],
  ["a list in the middle", [500, 28, 2_800, 280], { from: 92, to: 118 }],
  ["a list at the end", [500, 28, 500 * 28 - 280, 280], { from: 482, to: 500 }],
  ["a list that has become shorter", [10, 28, 9_000, 280], { from: 10, to: 10 }],
] as const)("renders the visible rows of %s", (_, [count, rowPx, top, height], rows) => {
  expect(visibleRows(count, rowPx, top, height)).toEqual(rows);
});

const chunk = (more: object) =>
  JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", model: "m", ...more });

it.each([
  [chunk({ choices: [{ index: 0, delta: { content: "a\u001b" }, finish_reason: null }] }), '{"content":"a\\u001b"}'],
  [chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }), '{"finish_reason":"stop"}'],
  [chunk({ choices: [], usage: { prompt_tokens: 3 } }), '{"prompt_tokens":3}'],
  ['{"error":{"code":"overloaded"}}', '{"code":"overloaded"}'],
  ["[DONE]", "[DONE]"],
  ["not \u202eJSON", "not ⟨RLO⟩JSON"],
])("shows %s as %s", (data, essence) => {
  expect(essenceOf(data)).toBe(essence);
});

it("is short", () => {
  expect(essenceOf(chunk({ choices: [{ delta: { content: "x".repeat(1_000_000) } }] }))).toHaveLength(160);
});
