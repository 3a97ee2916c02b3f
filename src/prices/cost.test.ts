import { describe, expect, it } from "vitest";
import { costOf, dollarText, knownDollars } from "./cost.js";
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
    [1.2, "$1.20"],
    [0.0042, "$0.0042"],
    [0, "$0.00"],
  ])("reads %j as %s", (dollars, text) => {
    expect(dollarText(dollars)).toBe(text);
  });

  it("is known unless nothing in it has a price", () => {
    expect(knownDollars({ dollars: 0, unpricedModels: [] })).toBe(0);
    expect(knownDollars({ dollars: 1.2, unpricedModels: ["a"] })).toBe(1.2);
    expect(knownDollars({ dollars: 0, unpricedModels: ["a"] })).toBeNull();
  });
});
