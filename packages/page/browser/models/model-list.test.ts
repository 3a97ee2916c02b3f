import { describe, expect, it } from "vitest";
import type { PageModel } from "../../access/contract.js";
import { effortExample, type Order, priceText, searchModels, sortModels } from "./model-list.js";

const nothing: PageModel = {
  id: "auto",
  title: "Auto",
  contextTokens: null,
  maxModeContextTokens: null,
  thinks: false,
  seesImages: false,
  efforts: [],
  aliases: ["default"],
  price: null,
};
const opus = {
  id: "claude-opus-4-8-high",
  title: "Claude Opus 4.8",
  aliases: ["opus"],
  thinks: true,
  efforts: ["low", "high"],
  contextTokens: 200_000,
  maxModeContextTokens: 1_000_000,
  price: { input: 5, cacheRead: 0.5, output: 25 },
};
const gpt = (version: string, output: number) => ({
  id: `gpt-${version}`,
  title: `GPT-${version}`,
  aliases: [],
  contextTokens: 272_000,
  price: { input: 1.25, cacheRead: 0.125, output },
});
const models: readonly PageModel[] = [
  nothing,
  { ...nothing, ...opus },
  { ...nothing, ...gpt("5.10", 10), seesImages: true },
  { ...nothing, ...gpt("5.5", 8) },
];
const idsOf = (found: readonly PageModel[]) => found.map(({ id }) => id);

describe("searching", () => {
  it.each([
    ["", ["auto", "claude-opus-4-8-high", "gpt-5.10", "gpt-5.5"]],
    ["  OPUS claude ", ["claude-opus-4-8-high"]],
    ["4.8", ["claude-opus-4-8-high"]],
    ["aut", ["auto"]],
    ["default", ["auto"]],
    ["gpt images", ["gpt-5.10"]],
    ["thinks", ["claude-opus-4-8-high"]],
    ["gpt opus", []],
  ])("%j finds the models that match all words", (search, ids) => {
    expect(idsOf(searchModels(models, search))).toEqual(ids);
  });
});

describe("sorting", () => {
  it.each<[Order, string[]]>([
    ["listed", ["auto", "claude-opus-4-8-high", "gpt-5.10", "gpt-5.5"]],
    ["name", ["auto", "claude-opus-4-8-high", "gpt-5.5", "gpt-5.10"]],
    ["context", ["claude-opus-4-8-high", "gpt-5.10", "gpt-5.5", "auto"]],
    ["price", ["gpt-5.5", "gpt-5.10", "claude-opus-4-8-high", "auto"]],
  ])("by %s", (order, ids) => {
    expect(idsOf(sortModels(models, order))).toEqual(ids);
  });
});

it.each([
  [5, "$5.00"],
  [0.125, "$0.125"],
  [0.0275, "$0.0275"],
])("formats a price of %d as %s", (amount, text) => {
  expect(priceText(amount)).toBe(text);
});

it("shows an effort other than that in the name", () => {
  expect([effortExample(models), effortExample([nothing])]).toEqual(["claude-opus-4-8-high:low", undefined]);
});
