import { describe, expect, it } from "vitest";
import { z } from "zod";
import listed from "./cursor-prices.json" with { type: "json" };
import { createPrices, knownDollars } from "./prices.js";

const dollars = z.number().positive().max(1_000);

describe("the price list", () => {
  it("has a source and date for every row, and no model twice", () => {
    const row = z.strictObject({
      models: z.array(z.string().regex(/^[a-z][a-z0-9.-]+$/)).min(1),
      input: dollars,
      output: dollars,
      cacheRead: dollars.optional(),
      cacheWrite: dollars.optional(),
      seen: z.string().regex(/^\d{4}-\d{2}(-\d{2})?$/),
      source: z.string().startsWith("https://cursor.com/docs/"),
    });
    for (const each of z.array(row).parse(listed.rows)) {
      expect(each.seen <= listed.updated).toBe(true);
      // Plausibility check: would detect swapped columns.
      expect(each.cacheRead ?? 0).toBeLessThan(each.input);
      expect(each.cacheWrite ?? each.input).toBeGreaterThanOrEqual(each.input);
      expect(each.output).toBeGreaterThan(each.input);
    }
    const names = listed.rows.flatMap(({ models }) => models);
    expect(new Set(names).size).toBe(names.length);
  });

  it("is found by each of its own names", () => {
    const { priceOf } = createPrices({});
    for (const row of listed.rows) for (const name of row.models) expect(priceOf(name), name).toBe(row);
  });
});

describe("a model's price", () => {
  const { priceOf } = createPrices({});

  it.each([
    ["claude-opus-4-8-high", "claude-opus-4-8"],
    ["claude-opus-5-thinking-xhigh", "claude-opus-5"],
    ["claude-opus-4-8-high-1m", "claude-opus-4-8-1m"],
    ["claude-opus-4-8[effort=high,context=200k]", "claude-opus-4-8"],
    ["gpt-5.5[reasoning=high]", "gpt-5.5"],
    ["grok-4.7[fast=true,effort=high]", "grok-4.7-fast"],
    ["grok-4.7[fast=false]", "grok-4.7"],
    ["Composer-2.5", "composer-2.5"],
    ["auto", "default"],
    ["gpt-5.6-sol[reasoning=high]", "gpt-5.6-sol"],
    ["claude-sonnet-5-5-high-1m", "claude-sonnet-5-5"],
  ])("of %s is that of %s", (name, listedAs) => {
    expect(priceOf(name)).toBeDefined();
    expect(priceOf(name)).toBe(priceOf(listedAs));
  });

  it.each([
    "gpt-6-sol",
    "gpt-5.5-fast",
    "gpt-5.5-high-1m",
    "gpt-5.5[context=1m]",
    "claude-opus-5-7",
    "claude-opus-6",
    "gpt-5.5[unheard=of]",
    "",
    "[",
  ])("is not guessed for %j", (name) => {
    expect(priceOf(name)).toBeUndefined();
  });

  it("is the owner's first match, by name or pattern, if there is one", () => {
    const mine = createPrices({
      "gpt-5.5": { input: 1, output: 1 },
      "GPT-5*": { input: 2, output: 2 },
      auto: { input: 3, output: 3 },
    });
    expect(mine.priceOf("gpt-5.5-high")?.input).toBe(1);
    expect(mine.priceOf("gpt-5.5")?.input).toBe(1);
    expect(mine.priceOf("gpt-5.6-terra")?.input).toBe(2);
    expect(mine.priceOf("auto")?.input).toBe(3);
    expect(mine.priceOf("composer-2.5")?.input).toBe(0.5);
  });
});

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const ownPrices = createPrices({
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
      "more cache than input, which never lowers it",
      { input: 1e6, output: 0, cacheRead: 2e6, cacheWrite: 0 },
      "full",
      2,
    ],
    ["nothing, even of a model without a price", none, "nobody-knows", 0],
  ])("is that of %s", (_, tokens, model, dollars) => {
    expect(ownPrices.costOf(model, tokens)).toBeCloseTo(dollars, 9);
  });

  it("is unknown without a price, not zero", () => {
    expect(ownPrices.costOf("nobody-knows", { ...none, input: 1 })).toBeUndefined();
  });
});

describe("a sum of costs", () => {
  it("is unknown only if nothing in it has a price", () => {
    expect(knownDollars({ dollars: 0, unpricedModels: [] })).toBe(0);
    expect(knownDollars({ dollars: 1.2, unpricedModels: ["a"] })).toBe(1.2);
    expect(knownDollars({ dollars: 0, unpricedModels: ["a"] })).toBeNull();
  });
});
