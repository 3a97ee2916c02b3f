import { expect, it } from "vitest";
import type { PageModel } from "../../src/page/contract.js";
import { findModels } from "./model-picker.js";

const model = (id: string, title: string, aliases: string[] = []): PageModel => ({
  id,
  title,
  aliases,
  contextTokens: null,
  maxModeContextTokens: null,
  thinks: false,
  seesImages: false,
  efforts: [],
  price: null,
});
const models = [
  model("default", "Auto", ["auto"]),
  model("gpt-5.5", "GPT-5.5"),
  model("claude-opus-4-8", "Claude Opus 4.8"),
];

it.each([
  ["", ["default", "gpt-5.5", "claude-opus-4-8"]],
  ["  ", ["default", "gpt-5.5", "claude-opus-4-8"]],
  ["OPUS", ["claude-opus-4-8"]],
  ["4.8 claude", ["claude-opus-4-8"]],
  ["aut", ["default"]],
  ["gpt opus", []],
])("%j finds %j", (query, ids) => {
  expect(findModels(models, query).map(({ id }) => id)).toEqual(ids);
});
