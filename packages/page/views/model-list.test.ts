import { createPrices } from "@curlew/meter/prices/prices.js";
import { expect, it } from "vitest";
import { listModels } from "./model-list.js";

const prices = createPrices({ own: { input: 1, output: 4 } });

it("lists a model with what is known about it, and guesses nothing", () => {
  const [auto, own, unlisted] = listModels(
    [
      { id: "default", name: "Auto", aliases: [], canThink: false },
      {
        id: "own",
        name: "Own",
        aliases: ["mine", "own"],
        canThink: true,
        canSeeImages: true,
        canMax: true,
        contextTokens: 200_000,
        maxContextTokens: 1_000_000,
        parameters: [{ id: "effort", values: ["low", "high"] }],
      },
      { id: "unlisted", name: "Unlisted", aliases: [], canThink: false },
    ],
    { prices, aliases: { fav: "OWN:high", "gpt-4": "mine", dear: "own[effort=high]", no: "other", usual: "auto" } },
  );
  expect(auto).toEqual({
    id: "auto",
    title: "Auto",
    contextTokens: null,
    maxModeContextTokens: null,
    thinks: false,
    seesImages: false,
    efforts: [],
    aliases: ["usual"],
    price: { input: 1.25, cacheRead: 0.25, output: 6 },
  });
  expect(unlisted?.price).toBeNull();
  expect(own).toEqual({
    id: "own",
    title: "Own",
    contextTokens: 200_000,
    maxModeContextTokens: 1_000_000,
    thinks: true,
    seesImages: true,
    efforts: ["low", "high"],
    aliases: ["mine", "fav", "gpt-4", "dear"],
    price: { input: 1, cacheRead: 1, output: 4 },
  });
});
