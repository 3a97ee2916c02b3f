import type {
  AvailableModelsResponse_AvailableModel as AvailableModel,
  ModelParameterDefinition,
  ModelVariantConfig,
} from "../../gen/aiserver_v1_pb.js";
import type { Model, ModelParameter, ModelVariant } from "../backend.js";

/** What is told of a model under its base name, for all its variants together. */
export interface ModelFamily extends Pick<Model, "aliases" | "contextTokens" | "maxContextTokens"> {
  readonly base: string;
  readonly canThink?: boolean;
  readonly canSeeImages?: boolean;
  readonly canMax?: boolean;
  readonly parameters: readonly ModelParameter[];
  readonly variants: readonly ModelVariant[];
  /** Names of variants that are told without their values. */
  readonly slugs: readonly string[];
}

/** As `AvailableModels` tells it. */
export function familyOf(model: AvailableModel): ModelFamily {
  const { contextTokenLimit, contextTokenLimitForMaxMode, supportsThinking, supportsImages, supportsMaxMode } = model;
  return {
    base: model.name,
    aliases: model.idAliases,
    slugs: model.legacySlugs,
    ...(contextTokenLimit ? { contextTokens: contextTokenLimit } : {}),
    ...(contextTokenLimitForMaxMode ? { maxContextTokens: contextTokenLimitForMaxMode } : {}),
    ...(supportsThinking !== undefined && { canThink: supportsThinking }),
    ...(supportsImages !== undefined && { canSeeImages: supportsImages }),
    ...(supportsMaxMode !== undefined && { canMax: supportsMaxMode }),
    parameters: model.parameterDefinitions.map(toParameter),
    variants: model.variants.map(toVariant),
  };
}

function toParameter({ id, parameterType }: ModelParameterDefinition): ModelParameter {
  const type = parameterType?.type;
  return {
    id,
    values: type?.value?.values.filter((each) => !each.blockedByAdminAllowlist).map(({ value }) => value) ?? [],
  };
}

function toVariant(config: ModelVariantConfig): ModelVariant {
  return {
    name: config.displayName,
    parameters: config.parameterValues.map(({ id, value }) => ({ id, value })),
    isMax: config.isMaxMode,
    isDefault: (config.isMaxMode ? config.isDefaultMaxConfig : config.isDefaultNonMaxConfig) ?? false,
    ...(config.legacySlug ? { slug: config.legacySlug } : {}),
  };
}
