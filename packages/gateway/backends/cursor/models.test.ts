import { create } from "@bufbuild/protobuf";
import { ModelDetailsSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { joinModels, type ModelFamily } from "./models.js";

const usable = (modelId: string, displayModelId = "", aliases: string[] = []) =>
  create(ModelDetailsSchema, { modelId, displayModelId, displayName: modelId.toUpperCase(), aliases });
const family = (base: string, rest: Partial<ModelFamily> = {}): ModelFamily => ({
  base,
  aliases: [],
  slugs: [],
  parameters: [],
  variants: [],
  ...rest,
});
const variant = (slug: string, isDefault = false) => ({ name: slug, slug, parameters: [], isMax: false, isDefault });

describe("joining Cursor's lists of models", () => {
  it("keeps the usable models in their order, and no others", () => {
    const joined = joinModels([usable("b"), usable("a")], [family("a"), family("b"), family("c")]);
    expect(joined.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(joinModels([], [family("a")])).toEqual([]);
  });

  it.each([
    ["its base name", usable("x"), family("x")],
    ["a slug", usable("x-high"), family("x", { slugs: ["x-high"] })],
    ["a variant", usable("x-high"), family("x", { variants: [variant("x-high")] })],
    ["the name that it shows", usable("x-high", "x"), family("x")],
    ["an alias that it shows", usable("x-high", "ex"), family("x", { aliases: ["ex"] })],
  ])("knows a model by %s", (_, details, reported) => {
    const [joined] = joinModels([details], [family("other"), { ...reported, contextTokens: 42 }]);
    expect(joined).toMatchObject({ contextTokens: 42, parameters: [] });
  });

  it("gives the names of a family only to its default", () => {
    const reported = family("x", { aliases: ["ex"], variants: [variant("x-low"), variant("x-high", true)] });
    const [low, high] = joinModels([usable("x-low"), usable("x-high", "", ["best"])], [reported]);
    expect(low).toMatchObject({ base: "x", aliases: [] });
    expect(high).toMatchObject({ base: "x", aliases: ["best", "x", "ex"] });
  });

  it("fills gaps of the first list from the next", () => {
    const parameters = [{ id: "effort", values: ["low"] }];
    const first = family("x", { contextTokens: 1, aliases: ["one"] });
    const next = family("x", { contextTokens: 2, maxContextTokens: 3, aliases: ["two"], parameters });
    expect(joinModels([usable("x")], [first, next])).toEqual([
      {
        id: "x",
        name: "X",
        aliases: ["one", "two"],
        canThink: false,
        contextTokens: 1,
        maxContextTokens: 3,
        parameters,
        variants: [],
      },
    ]);
  });

  it("omits what no list has", () => {
    expect(joinModels([usable("x")], [])).toEqual([{ id: "x", name: "X", aliases: [], canThink: false }]);
  });
});
