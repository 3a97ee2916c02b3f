import { describe, expect, it } from "vitest";
import { costText, missingPrices } from "./words.js";

const cost = (dollars: number | null, ...unpriced_models: string[]) => ({ dollars, unpriced_models });

describe("a cost in words", () => {
  it.each([
    [cost(6.41), "$6.41"],
    [cost(0), "$0.00"],
    [cost(6.41, "auto"), "at least $6.41"],
    [cost(null, "auto"), "no price"],
  ])("%j is %s", (sum, text) => {
    expect(costText(sum)).toBe(text);
  });

  it.each([
    [cost(6.41), undefined],
    [cost(6.41, "auto"), "without auto, which has no list price"],
    [cost(6.41, "auto", ""), "without auto and unknown, which have no list price"],
    [cost(6.41, "a", "b", "c"), "without a, b and c, which have no list price"],
    [cost(6.41, "a", "b", "c", "d"), "without a, b and 2 others, which have no list price"],
    [cost(null, "auto"), "the model has no list price"],
    [cost(null, "a", "b"), "the models have no list price"],
  ])("%j says what is not in it", (sum, text) => {
    expect(missingPrices(sum, 3)).toBe(text);
  });
});
