import { expect, it } from "vitest";
import { essenceOf } from "./event-essence.js";

const chunk = (more: object) =>
  JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", model: "m", ...more });

it.each([
  [chunk({ choices: [{ index: 0, delta: { content: "a\u001b" }, finish_reason: null }] }), '{"content":"a\\u001b"}'],
  [chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }), '{"finish_reason":"stop"}'],
  [chunk({ choices: [], usage: { prompt_tokens: 3 } }), '{"prompt_tokens":3}'],
  ['{"error":{"code":"overloaded"}}', '{"code":"overloaded"}'],
  ["[DONE]", "[DONE]"],
  ["not \u202eJSON", "not ⟨RLO⟩JSON"],
])("%s is told as %s", (data, essence) => {
  expect(essenceOf(data)).toBe(essence);
});

it("is short", () => {
  expect(essenceOf(chunk({ choices: [{ delta: { content: "x".repeat(1_000_000) } }] }))).toHaveLength(160);
});
