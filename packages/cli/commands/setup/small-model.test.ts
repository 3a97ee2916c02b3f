import { createPrices } from "@curlew/meter/prices/prices.js";
import { describe, expect, it } from "vitest";
import { assumedModel, type SetupModel } from "../../setup/client.js";
import { smallModelFor } from "./target.js";

const prices = createPrices({
  dear: { input: 5, output: 25 },
  usual: { input: 2, output: 10 },
  cheap: { input: 0.5, output: 2 },
  "cheap-too": { input: 0.5, output: 2 },
  tiny: { input: 0.1, output: 0.4 },
});
const model = (id: string, contextTokens = 200_000): SetupModel => ({ ...assumedModel(id), contextTokens });
const models = [
  model("auto"),
  model("dear"),
  model("usual"),
  model("cheap"),
  model("cheap-too"),
  model("tiny", 32_000),
];
const small = (chosen: SetupModel, list = models) => smallModelFor(chosen, list, prices);

describe("the model for small work", () => {
  it.each([
    ["the cheapest that reads enough, the first of two", model("dear", 1_000_000), models, "cheap"],
    ["a smaller one for a chosen one that reads as little", model("usual", 32_000), models, "tiny"],
    ["never dearer than the chosen one", model("cheap"), [model("dear"), model("cheap")], "cheap"],
    ["auto where the chosen one is auto", model("auto"), models, "auto"],
    ["auto where nothing has a price", model("new-1"), [model("new-1"), model("new-2")], "auto"],
    ["the cheapest where only the chosen one has no price", model("new-1"), models, "cheap"],
    ["the chosen one in another shape", model("dear:high"), [model("auto"), model("unpriced")], "auto"],
  ])("is %s", (_, chosen, list, expected) => expect(small(chosen, list)).toBe(expected));
});
