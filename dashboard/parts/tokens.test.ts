import { expect, it } from "vitest";
import { estimates, splitTokens } from "./tokens.js";

it.each([
  [{ input: 1_000, cacheRead: 700, output: 200, reasoning: 50 }, [700, 300, 50, 150]],
  [{ input: 10, cacheRead: 12, output: 5, reasoning: 9 }, [10, 0, 5, 0]],
])("counts every token of %j once", (tokens, counts) => {
  const { cached, fresh, reasoning, said } = splitTokens(tokens);
  expect([cached, fresh, reasoning, said]).toEqual(counts);
});

it.each([
  [9, 0, undefined],
  [9, 1, "1 turn had no usage data from Cursor; its tokens are estimates."],
  [9, 2, "2 turns had no usage data from Cursor; their tokens are estimates."],
  [2, 2, "Cursor has sent no usage data; the tokens are estimates."],
])("of %d turns, %d are estimates", (turns, estimated, text) => {
  expect(estimates(turns, estimated)).toBe(text);
});
