import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ModelDetailsSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import type { SimulatorOptions } from "./options.js";

/** A model as people choose it: one name, and parameters that select a variant. */
export interface ModelFamily {
  readonly id: string;
  readonly displayName: string;
  readonly aliases: readonly string[];
  readonly vendor: string;
  readonly canThink: boolean;
  readonly takesImages: boolean;
  readonly contextTokens: number;
  /** The limit in max mode, if it has one. */
  readonly maxContextTokens?: number;
  readonly parameters: readonly ModelParameter[];
  readonly variants: readonly ModelVariant[];
  /** Whether its provider refuses combinators in the schemas of tools. */
  readonly refusesCombinators?: boolean;
  /** Whether it was seen to get the client's tools by name alone (docs/protocol/wire.md, tools). */
  readonly hasDynamicTools?: boolean;
}

/** The shapes in which a model can be asked for: base and parameters, the slug of a variant with or without its mark, the base alone. */
export type ModelIdShape = Exclude<SimulatorOptions["modelIds"], "any">;

export interface ModelParameter {
  readonly id: string;
  readonly name: string;
  readonly values: readonly string[];
}

export interface ModelVariant {
  /** The variant's name in lists without parameters. */
  readonly slug: string;
  readonly displayName: string;
  readonly values: Readonly<Record<string, string>>;
  readonly isDefault?: boolean;
  readonly isMax?: boolean;
}

/** `auto` is an alias of `default` and never an id: Cursor refuses it as one (docs/protocol/wire.md, models). */
export const families: readonly ModelFamily[] = [
  plain("default", "Auto", "Cursor", 200_000, { aliases: ["auto"] }),
  {
    ...plain("composer-2.5", "Composer 2.5", "Cursor", 200_000, { aliases: ["composer"], canThink: true }),
    hasDynamicTools: true,
  },
  plain("composer-2.5-fast", "Composer 2.5 Fast", "Cursor", 200_000),
  {
    ...plain("claude-opus-4-8", "Claude Opus 4.8", "Anthropic", 200_000, {
      aliases: ["opus", "opus-4.8"],
      canThink: true,
    }),
    maxContextTokens: 1_000_000,
    parameters: [
      { id: "effort", name: "Effort", values: ["low", "high"] },
      { id: "context", name: "Context", values: ["200k", "1m"] },
    ],
    variants: [
      variant("claude-opus-4-8-high", "Claude Opus 4.8 High", { effort: "high", context: "200k" }, { isDefault: true }),
      variant("claude-opus-4-8-low", "Claude Opus 4.8 Low", { effort: "low", context: "200k" }),
      variant("claude-opus-4-8-high-1m", "Claude Opus 4.8 High 1M", { effort: "high", context: "1m" }, { isMax: true }),
    ],
  },
  {
    ...plain("gpt-5.5", "GPT-5.5", "OpenAI", 272_000, { canThink: true }),
    parameters: [{ id: "reasoning", name: "Reasoning", values: ["low", "medium", "high"] }],
    variants: [
      variant("gpt-5.5-low", "GPT-5.5 Low", { reasoning: "low" }),
      variant("gpt-5.5-medium", "GPT-5.5 Medium", { reasoning: "medium" }, { isDefault: true }),
      variant("gpt-5.5-high", "GPT-5.5 High", { reasoning: "high" }),
    ],
  },
  plain("grok-4.6", "Grok 4.6", "xAI", 256_000, { canThink: true }),
  plain("gemini-3.1-pro", "Gemini 3.1 Pro", "Google", 1_000_000),
  {
    ...plain("claude-fable-5", "Claude Fable 5", "Anthropic", 200_000, { aliases: ["fable"], canThink: true }),
    refusesCombinators: true,
    parameters: [{ id: "effort", name: "Effort", values: ["medium", "high"] }],
    variants: [
      variant("claude-fable-5-high", "Claude Fable 5 High", { effort: "high" }, { isDefault: true }),
      variant("claude-fable-5-medium", "Claude Fable 5 Medium", { effort: "medium" }),
    ],
  },
];

/** The flat list that Cursor's CLI shows. */
export const usableModels: readonly MessageInitShape<typeof ModelDetailsSchema>[] = [
  usable("default", "auto", "Auto", "Auto", { aliases: ["auto"] }),
  usable("composer-2.5", "composer-2.5", "Composer 2.5", "Composer 2.5", {
    aliases: ["composer"],
    thinkingDetails: {},
  }),
  usable("composer-2.5-fast", "composer-2.5-fast", "Composer 2.5 Fast", "Composer Fast"),
  usable("claude-opus-4-8-high", "opus-4.8", "Claude Opus 4.8", "Opus 4.8", {
    aliases: ["opus"],
    thinkingDetails: {},
    maxMode: false,
  }),
  usable("gpt-5.5-medium", "gpt-5.5", "GPT-5.5", "GPT-5.5", { thinkingDetails: {} }),
  usable("grok-4.6", "grok-4.6", "Grok 4.6", "Grok 4.6", { thinkingDetails: {} }),
  usable("gemini-3.1-pro", "gemini-3.1-pro", "Gemini 3.1 Pro", "Gemini 3.1"),
  usable("claude-fable-5-high", "fable-5", "Claude Fable 5", "Fable 5", { aliases: ["fable"], thinkingDetails: {} }),
];

const familyByName = new Map<string, ModelFamily>(
  families.flatMap((family) => [family.id, ...family.variants.map(({ slug }) => slug)].map((name) => [name, family])),
);

/** Finds a family by its id or by a variant's slug. Aliases are for people and unknown on the wire. */
export function findFamily(name: string): ModelFamily | undefined {
  return familyByName.get(name);
}

/** The shape in which a model is asked for; undefined where it has only one, or where the name is not known. */
export function shapeOf(name: string, hasParameters: boolean, isVariant: boolean): ModelIdShape | undefined {
  const family = findFamily(name);
  if (family === undefined || family.parameters.length === 0) return undefined;
  if (family.id !== name) return isVariant ? "variant" : "slug";
  return hasParameters ? "parameters" : "base";
}

function plain(
  id: string,
  displayName: string,
  vendor: string,
  contextTokens: number,
  { aliases = [], canThink = false }: { aliases?: string[]; canThink?: boolean } = {},
): ModelFamily {
  const variants = [variant(id, displayName, {}, { isDefault: true })];
  return { id, displayName, aliases, vendor, canThink, takesImages: true, contextTokens, parameters: [], variants };
}

function variant(
  slug: string,
  displayName: string,
  values: Record<string, string>,
  flags: { isDefault?: boolean; isMax?: boolean } = {},
): ModelVariant {
  return { slug, displayName, values, ...flags };
}

function usable(
  modelId: string,
  displayModelId: string,
  displayName: string,
  displayNameShort: string,
  more: MessageInitShape<typeof ModelDetailsSchema> = {},
): MessageInitShape<typeof ModelDetailsSchema> {
  return { modelId, displayModelId, displayName, displayNameShort, ...more };
}
