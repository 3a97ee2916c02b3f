import { expect, it } from "vitest";
import { splitTokens } from "./split-tokens.js";

it.each([
  [{ input: 1_000, cacheRead: 700, output: 200, reasoning: 50 }, [700, 300, 50, 150]],
  [{ input: 10, cacheRead: 12, output: 5, reasoning: 9 }, [10, 0, 5, 0]],
])("counts every token of %j once", (tokens, counts) => {
  const { cached, fresh, reasoning, said } = splitTokens(tokens);
  expect([cached, fresh, reasoning, said]).toEqual(counts);
});
