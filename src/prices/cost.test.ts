import { describe, expect, it } from "vitest";
import { costOf, costText, knownDollars } from "./cost.js";
import { createPrices } from "./price-table.js";

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const prices = createPrices({
  plain: { input: 2, output: 10 },
  full: { input: 4, output: 20, cacheRead: 1, cacheWrite: 5 },
});

describe("the cost of tokens", () => {
  it.each([
    ["input and output", { ...none, input: 1_000_000, output: 500_000 }, "plain", 7],
    [
      "the cache, at its own prices, within the input",
      { input: 10e6, output: 0, cacheRead: 6e6, cacheWrite: 2e6 },
      "full",
      24,
    ],
    [
      "the cache, as input where it has no price",
      { input: 10e6, output: 0, cacheRead: 6e6, cacheWrite: 2e6 },
      "plain",
      20,
    ],
    [
      "more cache than input, which never makes it less",
      { input: 1e6, output: 0, cacheRead: 2e6, cacheWrite: 0 },
      "full",
      2,
    ],
    ["nothing, even of a model without a price", none, "nobody-knows", 0],
  ])("is that of %s", (_, tokens, model, dollars) => {
    expect(costOf(tokens, model, prices)).toBeCloseTo(dollars, 9);
  });

  it("is unknown without a price, and not nothing", () => {
    expect(costOf({ ...none, input: 1 }, "nobody-knows", prices)).toBeUndefined();
  });
});

describe("a sum of costs", () => {
  it.each([
    [{ dollars: 1.2, unpricedModels: [] }, "$1.20"],
    [{ dollars: 0.0042, unpricedModels: [] }, "$0.0042"],
    [{ dollars: 0, unpricedModels: [] }, "$0.00"],
    [{ dollars: 1.2, unpricedModels: ["a"] }, "at least $1.20; 1 model without a price"],
    [{ dollars: 0, unpricedModels: ["a"] }, "unknown"],
  ])("reads %j as %s", (sum, text) => {
    expect(costText(sum)).toBe(text);
    expect(knownDollars(sum)).toBe(text === "unknown" ? null : sum.dollars);
  });
});
