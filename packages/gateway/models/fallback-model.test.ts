import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sampleModel } from "../../../testing/samples/sample-models.js";
import { sampleProfile } from "../../../testing/samples/sample-profile.js";
import { readVendors } from "../backends/profile/index.js";
import { fallbackModel, nearestNames } from "./fallback-model.js";

const vendors = readVendors(sampleProfile);

/** Texts of a kind in the types of a package. */
function namesIn(file: string, pattern: RegExp): string[] {
  const text = readFileSync(new URL(`../../../node_modules/${file}`, import.meta.url), "utf8");
  return [...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))];
}

/** Audio models, and those that search by themselves, are not for clients of this gateway. */
const isForText = (name: string) => !/audio|search|vision|image|moderation/.test(name);
const builtIn = [
  ...namesIn("@anthropic-ai/sdk/resources/messages/messages.d.ts", /'(claude-[a-z0-9.-]+)'/g),
  ...namesIn("openai/resources/shared.d.ts", /'((?:gpt|o\d|codex|chatgpt)[a-z0-9.-]*)'/g),
].filter(isForText);

/** The id of the model that serves, from a list of these ids. */
function served(asked: string, ...ids: string[]): string | undefined {
  const models = ["default", ...ids].map((id) => sampleModel(id));
  return fallbackModel(asked, models, vendors)?.id;
}

describe("the fallback for a well-known name", () => {
  it.each([
    ["a Sonnet name by Opus", "claude-3.5-sonnet", ["claude-opus-4-8-high"]],
    ["a Haiku name by Sonnet", "claude-haiku-4-5", ["claude-sonnet-5", "claude-opus-5"]],
    ["an Opus name by Fable", "claude-opus-4-8", ["claude-fable-5"]],
    ["a mini by a full model", "gpt-5.4-mini", ["gpt-5.5", "gpt-5.5-codex"]],
    ["a nano by a mini", "gpt-5-nano", ["gpt-5.4-mini"]],
    ["a full model by a pro", "gpt-5.4", ["gpt-5.5-pro"]],
    ["a full model by a faster one", "gpt-5.4", ["gpt-5.4-fast"]],
    ["a flash by a pro", "gemini-3.5-flash", ["gemini-3.1-pro"]],
    ["a small Grok by a large one", "grok-4-fast", ["grok-4.6"]],
    ["a Claude by a name without a size", "claude-opus-4-8", ["claude-next"]],
    ["a name by another family", "grok-4", ["gpt-5.5", "claude-opus-5"]],
  ])("is never more expensive: %s", (_, asked, listed) => expect(served(asked, ...listed)).toBe("default"));

  it.each([
    ["the same size, not a smaller one", "gpt-5.1", ["gpt-5.6-mini", "gpt-5.5"], "gpt-5.5"],
    ["the next size below", "claude-fable-5", ["claude-haiku-4-5", "claude-sonnet-5"], "claude-sonnet-5"],
    ["a smaller one rather than a more expensive one", "gpt-5.4", ["gpt-5.5-pro", "gpt-5.4-mini"], "gpt-5.4-mini"],
    ["the same version", "claude-sonnet-4-5", ["claude-sonnet-5", "claude-4.5-sonnet"], "claude-4.5-sonnet"],
    ["the newest version", "claude-3-opus", ["claude-opus-4-5", "claude-opus-5", "claude-opus-4-8"], "claude-opus-5"],
    ["a model for code for one", "gpt-5.1-codex", ["gpt-5.5", "gpt-5.3-codex"], "gpt-5.3-codex"],
    ["no model for code for another", "gpt-5.1", ["gpt-5.4", "gpt-5.5-codex"], "gpt-5.4"],
    [
      "a usual one, not a faster",
      "claude-opus-4-8",
      ["claude-opus-5-fast", "claude-opus-5-high"],
      "claude-opus-5-high",
    ],
    ["a small Grok for a small one", "grok-code-fast-1", ["grok-4.6", "grok-build-0.1"], "grok-build-0.1"],
    ["the lightest for the lightest", "gemini-2.5-flash-lite", ["gemini-3-flash", "gemini-3-lite"], "gemini-3-lite"],
  ])("is the nearest: %s", (_, asked, listed, expected) => expect(served(asked, ...listed)).toBe(expected));

  it("goes by an alias when the name has no size", () => {
    const models = [sampleModel("default"), sampleModel("claude-next", { aliases: ["sonnet"] })];
    expect(fallbackModel("claude-3-5-sonnet-latest", models, vendors)?.id).toBe("claude-next");
    expect(fallbackModel("claude-haiku-4-5", models, vendors)?.id).toBe("default");
  });

  it.each(builtIn)("exists for a name in an official package: %s", (asked) => {
    expect(served(asked, "claude-opus-5", "gpt-5.5")).toBeDefined();
  });

  it.each(builtIn)("does not exist for such a name with two letters swapped: %s", (asked) => {
    const swapped = [...asked].flatMap((letter, at) => {
      const next = asked[at + 1] ?? "";
      if (letter === next || !/[a-z]{2}/.test(letter + next)) return [];
      return [`${asked.slice(0, at)}${next}${letter}${asked.slice(at + 2)}`];
    });
    expect(swapped.filter((name) => served(name, "claude-opus-5", "gpt-5.5") !== undefined)).toEqual([]);
  });

  it.each([
    ...["gpt-5.5-medum", "gpt-8.2", "gpt-oss-120b", "grok-9", "claude-next", "gemini-3.1-prp", "o9", "composer-9"],
    ...["claude-opus-5-hihg", "claude-opus-5-high", "claude-opus-9", "claude-opus-5-55", "gemini-9-pro", "gpt-4o-12"],
    ...["my-claude-opus-5", "claude-sonnet-4-5-2025", "claude-sonnet-4-5-20259929x", "gemini-2.5-pro-fast"],
  ])("does not exist for other names: %s", (asked) =>
    expect(served(asked, "gpt-5.5", "claude-opus-5", "grok-4.6", "gemini-3.1-pro")).toBeUndefined(),
  );
});

describe("the nearest names", () => {
  const names = ["auto", "composer-2.5", "claude-opus-4-8-high", "gpt-5.5-medium", "gpt-5.4-mini", "gemini-3.1-pro"];

  it("are those of the family first, whatever their spelling", () => {
    expect(nearestNames("gpt-9", names, 3, vendors).slice(0, 2).toSorted()).toEqual(["gpt-5.4-mini", "gpt-5.5-medium"]);
    expect(nearestNames("claude-9", names, 1, vendors)).toEqual(["claude-opus-4-8-high"]);
  });

  it("are only those that begin alike, if any", () => {
    expect(nearestNames("gtp-5", names, 3, vendors)).toEqual(["gpt-5.4-mini", "gpt-5.5-medium"]);
    expect(nearestNames("composer-2.6", names, 3, vendors)).toEqual(["composer-2.5"]);
  });

  it("are never empty", () => {
    expect(nearestNames("llama-4-maverick-17b-128e-instruct", names, 3, vendors)).toHaveLength(3);
    expect(nearestNames("x", names, 3, vendors)).toHaveLength(3);
  });
});
