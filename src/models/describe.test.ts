import { expect, it } from "vitest";
import { sampleModels } from "../../testing/samples/sample-models.js";
import { sampleProfile } from "../../testing/samples/sample-profile.js";
import { readVendors } from "../profile/index.js";
import { createCatalogue } from "./catalogue.js";

const preferences = {
  aliases: { mine: "opus:low" },
  vendors: readVendors(sampleProfile),
  knowsOwnNamesOnly: false,
  prefersMax: false,
};
const catalogue = createCatalogue({ fetchModels: async () => sampleModels, preferences });
const { signal } = new AbortController();

it.each([
  ["auto", { id: "auto", name: "Auto" }],
  ["opus", { id: "opus-high", name: "Opus", contextTokens: 200_000 }],
  ["cursor/Opus", { id: "opus-high" }],
  ["opus:low", { id: "opus-low", name: "Opus", contextTokens: 200_000 }],
  ["opus:max", { id: "opus-high-1m", contextTokens: 1_000_000 }],
  ["opus[effort=low]", { id: "opus-low" }],
  ["mine", { id: "opus-low" }],
  ["claude-3-5-sonnet-20241022", { id: "claude-5-sonnet", name: "CLAUDE-5-SONNET" }],
  ["raw/anything", { id: "anything", name: "anything" }],
])("describes %s by what it means in a request", async (name, model) => {
  expect(await catalogue.find(name, signal)).toMatchObject(model);
});

it.each(["nope", "opus:nope", ""])("knows no model %j", async (name) => {
  await expect(catalogue.find(name, signal)).rejects.toMatchObject({ code: "model_not_found" });
});
