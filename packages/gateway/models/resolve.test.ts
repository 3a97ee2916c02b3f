import { describe, expect, it } from "vitest";
import { sampleModel, sampleModels } from "../../../testing/samples/sample-models.js";
import { sampleProfile } from "../../../testing/samples/sample-profile.js";
import { readVendors } from "../backends/profile/index.js";
import { type ModelPreferences, type ModelRequest, resolveModel } from "./resolve.js";

const plain: ModelPreferences = {
  aliases: {},
  vendors: readVendors(sampleProfile),
  knowsOwnNamesOnly: false,
  prefersMax: false,
};

/** The model that Cursor is asked for, in one line: `id {parameters} max`. */
function asked(requested: ModelRequest | string, preferences: Partial<ModelPreferences> = {}): string | undefined {
  const model = typeof requested === "string" ? { model: requested } : requested;
  const resolved = resolveModel(model, sampleModels, { ...plain, ...preferences });
  if (resolved === undefined) return undefined;
  const values = resolved.parameters.map(({ id, value }) => `${id}=${value}`).join(" ");
  return `${resolved.id} {${values}}${resolved.isMax ? " max" : ""} as ${resolved.shownAs}`;
}

describe("the name of a model", () => {
  it.each([
    ["its id", "opus-high", "opus-high {} as opus-high"],
    ["its id in another case", "OPUS-High", "opus-high {} as opus-high"],
    ["an id with a colon and a slash", "vendor/odd:1", "vendor/odd:1 {} as vendor/odd:1"],
    ["an alias", "opus", "opus-high {} as opus-high"],
    ["the family", "opus-9", "opus-high {} as opus-high"],
    ["the name for people", "Opus", "opus-high {} as opus-high"],
    ["auto", "auto", "default {} as auto"],
    ["after a prefix", "cursor/opus", "opus-high {} as opus-high"],
    ["another variant's slug", "opus-low", "opus-9 {effort=low context=200k} as opus-low"],
    ["a variant in max mode", "opus-high-1m", "opus-9 {effort=high context=1m} max as opus-high-1m"],
    ["a variant by parameters", "opus-9[effort=low,context=200k]", "opus-9 {effort=low context=200k} as opus-low"],
    ["a variant by one parameter", "opus-9[context=1m]", "opus-9 {effort=high context=1m} max as opus-high-1m"],
    [
      "a variant that is not listed",
      "opus[effort=low,context=1m]",
      "opus-9 {effort=low context=1m} max as opus-9[effort=low,context=1m]",
    ],
    [
      "parameters of a model of which little is known",
      "claude-5-sonnet[x=y]",
      "claude-5-sonnet {x=y} as claude-5-sonnet[x=y]",
    ],
    ["with an effort", "opus:low", "opus-9 {effort=low context=200k} as opus-low"],
    ["with its default effort", "opus:high", "opus-high {} as opus-high"],
    ["with max mode", "opus:max", "opus-9 {effort=high context=1m} max as opus-high-1m"],
    ["with both", "opus:low:max", "opus-9 {effort=low context=1m} max as opus-9[effort=low,context=1m]"],
    ["with a value", "opus:1m", "opus-9 {effort=high context=1m} max as opus-high-1m"],
    [
      "with a switch",
      "opus:fast",
      "opus-9 {effort=high context=200k fast=true} as opus-9[effort=high,context=200k,fast=true]",
    ],
    ["with max mode of unknown support", "claude-5-sonnet:max", "claude-5-sonnet {} max as claude-5-sonnet"],
  ])("may be %s: %s", (_, name, expected) => expect(asked(name)).toBe(expected));

  it.each(["nothing", "opus:nonsense", ":high", "gpt-8.2", "cursor/"])("is not %s", (name) => {
    expect(asked(name)).toBeUndefined();
  });
});

describe("aliases of the owner", () => {
  const aliases = { "gpt-4": "opus:low", opus: "gpt-8.1", gone: "nowhere" };
  it.each([
    ["may carry an effort", "GPT-4", "opus-9 {effort=low context=200k} as opus-low"],
    ["do not hide what Cursor lists", "opus", "opus-high {} as opus-high"],
    [
      "may have suffixes themselves",
      "gpt-4:max",
      "opus-9 {effort=low context=1m} max as opus-9[effort=low,context=1m]",
    ],
  ])("%s", (_, name, expected) => expect(asked(name, { aliases })).toBe(expected));

  it("without a target are unknown names", () => {
    expect(asked("gone", { aliases })).toBeUndefined();
  });
});

describe("effort", () => {
  it.each([
    ["as it is", "opus", "low", "opus-9 {effort=low context=200k} as opus-low"],
    ["the nearest, the harder of two", "opus", "medium", "opus-high {} as opus-high"],
    ["the nearest below", "gpt-8.1", "xhigh", "gpt-8.1 {reasoning=medium} as gpt-8.1[reasoning=medium]"],
    ["the nearest above", "gpt-8.1", "none", "gpt-8.1 {reasoning=minimal} as gpt-8.1[reasoning=minimal]"],
    ["thinking on", "thinker", "low", "thinker {thinking=true} as thinker[thinking=true]"],
    ["thinking off", "thinker", "none", "thinker {thinking=false} as thinker[thinking=false]"],
  ])("becomes the model's own parameter: %s", (_, model, effort, expected) => {
    expect(asked({ model, effort })).toBe(expected);
  });

  it("in the name wins over effort in the request", () => {
    expect(asked({ model: "opus:low", effort: "high" })).toContain("effort=low");
  });

  it("that is unknown is named with those that the model takes", () => {
    const { warnings } = resolveModel({ model: "opus", effort: "turbo" }, sampleModels, plain) ?? {};
    expect(warnings).toEqual(["Unknown effort turbo; it is left out. opus-high takes low or high."]);
  });

  it.each([
    ["a model without such a parameter", "auto", "high"],
    ["an unknown word", "opus", "gigantic"],
  ])("is left out with a warning: %s", (_, model, effort) => {
    const resolved = resolveModel({ model, effort }, sampleModels, plain);
    expect(resolved).toMatchObject({ parameters: [], warnings: [expect.stringContaining(`effort ${effort}`)] });
  });
});

describe("max mode", () => {
  it("is for every model that has it, if the owner prefers it", () => {
    expect(asked("opus", { prefersMax: true })).toBe("opus-9 {effort=high context=1m} max as opus-high-1m");
    expect(asked("auto", { prefersMax: true })).toBe("default {} as auto");
  });

  it("that a model does not have is left out with a warning", () => {
    const resolved = resolveModel({ model: "gpt-8.1:max" }, sampleModels, plain);
    expect(resolved).toMatchObject({ isMax: false, warnings: [expect.stringContaining("no max mode")] });
  });

  it("keeps whether the model can see images, if known", () => {
    const models = [sampleModel("blind", { canSeeImages: false, canMax: true }), sampleModel("unknown")];
    const seen = (model: string) => resolveModel({ model }, models, plain)?.canSeeImages;
    expect([seen("blind"), seen("blind:max"), seen("unknown")]).toEqual([false, false, undefined]);
  });

  it("has its own context window", () => {
    expect(resolveModel({ model: "opus" }, sampleModels, plain)?.contextTokens).toBe(200_000);
    expect(resolveModel({ model: "opus:max" }, sampleModels, plain)?.contextTokens).toBe(1_000_000);
  });
});

describe("well-known names of other APIs", () => {
  it.each([
    ["claude-sonnet-4-5-20250929", "claude-4.5-sonnet"],
    ["claude-3-5-sonnet-latest", "claude-5-sonnet"],
    ["claude-opus-4-1", "opus-high"],
    ["claude-3-5-haiku-20241022", "auto"],
    ["gpt-4o-mini", "auto"],
    ["gemini-2.5-flash", "auto"],
    ["gpt-5.4-mini", "auto"],
    ["gpt-5.6-sol", "gpt-8.1"],
    ["gpt-5.6-luna", "auto"],
    ["o4-mini-2025-04-16", "auto"],
    ["grok-4", "auto"],
    ["claude-fable-5", "opus-high"],
  ])("%s is served by %s, with a warning", (model, shownAs) => {
    const resolved = resolveModel({ model }, sampleModels, plain);
    expect(resolved).toMatchObject({
      shownAs,
      warnings: [`${model} is not in your Cursor list; ${shownAs} answers instead.`],
    });
  });

  it("are unknown names if only the list and the aliases count", () => {
    const strictly = { knowsOwnNamesOnly: true, aliases: { "gpt-4": "opus" } };
    expect(asked("claude-opus-4-1", strictly)).toBeUndefined();
    expect(asked("gpt-4o:high", strictly)).toBeUndefined();
    expect(asked("gpt-4", strictly)).toBe(asked("opus"));
    expect(asked("opus:low", strictly)).toBe(asked("opus:low"));
  });

  it("accept suffixes and efforts too", () => {
    expect(asked("claude-opus-4-1:low")).toBe("opus-9 {effort=low context=200k} as opus-low");
  });

  it("cause a warning about choices that the model does not have", () => {
    const resolved = resolveModel({ model: "opus[effort=huge,colour=red]" }, sampleModels, plain);
    expect(resolved?.warnings).toEqual([
      "opus-high does not take effort=huge (effort is low or high); it is left out.",
      "opus-high does not take colour=red (its options: effort, context or fast); it is left out.",
    ]);
  });
});

describe("a name that is passed on unchanged", () => {
  it.each([
    ["raw/opus-9[effort=huge]", "opus-high does not take effort=huge (effort is low or high)."],
    ["raw/opus-9[fast=very]", "opus-high does not take fast=very (fast is true or false)."],
    ["raw/opus-9[effort=low,colour=red]", "opus-high does not take colour=red (its options: effort, context or fast)."],
  ])("is doubted for an option that the list does not have: %s", (model, doubt) => {
    const resolved = resolveModel({ model }, sampleModels, plain);
    expect(resolved).toMatchObject({ shownAs: model.slice("raw/".length), doubt, warnings: [doubt] });
  });

  it.each(["raw/opus-9[effort=low]", "raw/unlisted[effort=huge]", "raw/claude-5-sonnet[x=y]"])(
    "is not doubted: %s",
    (model) => {
      const resolved = resolveModel({ model }, sampleModels, plain);
      expect(resolved).toMatchObject({ warnings: [] });
      expect(resolved).not.toHaveProperty("doubt");
    },
  );
});
