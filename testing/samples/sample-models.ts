import type { Model, ModelVariant } from "../../packages/gateway/backends/backend.js";

function variant(slug: string, values: Record<string, string>, rest: Partial<ModelVariant> = {}): ModelVariant {
  const parameters = Object.entries(values).map(([id, value]) => ({ id, value }));
  return { name: slug, slug, parameters, isMax: false, isDefault: false, ...rest };
}

export function sampleModel(id: string, rest: Partial<Model> = {}): Model {
  return { id, name: id.toUpperCase(), aliases: [], canThink: false, ...rest };
}

/** A list as an account gets it: variants, families, and models with few known properties. */
export const sampleModels: readonly Model[] = [
  sampleModel("default", { name: "Auto", aliases: ["auto"], parameters: [], variants: [], canMax: false }),
  sampleModel("opus-high", {
    name: "Opus",
    aliases: ["opus"],
    base: "opus-9",
    canMax: true,
    contextTokens: 200_000,
    maxContextTokens: 1_000_000,
    parameters: [
      { id: "effort", values: ["low", "high"] },
      { id: "context", values: ["200k", "1m"] },
      { id: "fast", values: [] },
    ],
    variants: [
      variant("opus-high", { effort: "high", context: "200k" }, { isDefault: true }),
      variant("opus-low", { effort: "low", context: "200k" }),
      variant("opus-high-1m", { effort: "high", context: "1m" }, { isMax: true, isDefault: true }),
    ],
  }),
  sampleModel("gpt-8.1", {
    parameters: [{ id: "reasoning", values: ["minimal", "low", "medium"] }],
    variants: [],
    canMax: false,
  }),
  sampleModel("thinker", { parameters: [{ id: "thinking", values: ["true", "false"] }], variants: [] }),
  sampleModel("claude-4.5-sonnet"),
  sampleModel("claude-5-sonnet"),
  sampleModel("vendor/odd:1"),
];
