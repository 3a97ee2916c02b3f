import type { MessageInitShape } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AgentService } from "@curlew/wire/gen/agent_v1_pb.js";
import type { AiService, AvailableModelsResponse_AvailableModelSchema } from "@curlew/wire/gen/aiserver_v1_pb.js";
import {
  families,
  type ModelFamily,
  type ModelParameter,
  type ModelVariant,
  usableModels,
} from "../server/catalogue.js";
import { errorByName } from "../server/error-by-name.js";

type ListingMethods = "getUsableModels" | "getDefaultModelForCli" | "nameAgent";

/** The calls that AgentService and AiService share. */
export const listing = {
  getUsableModels({ customModelIds }) {
    throwAsked(customModelIds);
    return { models: [...usableModels] };
  },
  getDefaultModelForCli: () => ({ model: usableModels[0] ?? {} }),
  nameAgent({ userMessage }) {
    throwAsked([userMessage]);
    return { name: titleOf(userMessage) };
  },
} satisfies Pick<Partial<ServiceImpl<typeof AgentService>>, ListingMethods>;

export const available = {
  availableModels({ additionalModelNames }) {
    throwAsked(additionalModelNames);
    return {
      modelNames: families.map(({ id }) => id),
      models: families.map(toAvailable),
      useModelParameters: true,
    };
  },
} satisfies Partial<ServiceImpl<typeof AiService>>;

/** Throws the error that a name of the form `sim-error-...` requests. */
function throwAsked(names: readonly string[]): void {
  for (const name of names) {
    const error = errorByName(name);
    if (error !== undefined) throw error;
  }
}

function toAvailable(family: ModelFamily): MessageInitShape<typeof AvailableModelsResponse_AvailableModelSchema> {
  return {
    name: family.id,
    defaultOn: true,
    supportsAgent: true,
    supportsThinking: family.canThink,
    supportsImages: family.takesImages,
    supportsMaxMode: family.maxContextTokens !== undefined,
    supportsNonMaxMode: true,
    contextTokenLimit: family.contextTokens,
    contextTokenLimitForMaxMode: family.maxContextTokens ?? family.contextTokens,
    clientDisplayName: family.displayName,
    serverModelName: family.id,
    vendorName: family.vendor,
    idAliases: [...family.aliases],
    legacySlugs: family.variants.map(({ slug }) => slug).filter((slug) => slug !== family.id),
    parameterDefinitions: family.parameters.map(toDefinition),
    variants: family.variants.map((variant) => toVariant(family.id, variant)),
  };
}

function toDefinition({ id, name, values }: ModelParameter) {
  const enumParameter = { values: values.map((value) => ({ value, displayName: value })) };
  return { id, name, parameterType: { type: { case: "enumParameter" as const, value: enumParameter } } };
}

function toVariant(familyId: string, { slug, displayName, values, isDefault = false, isMax = false }: ModelVariant) {
  const pairs = Object.entries(values);
  const text = pairs.map(([id, value]) => `${id}=${value}`).join(",");
  return {
    parameterValues: pairs.map(([id, value]) => ({ id, value })),
    displayName,
    isMaxMode: isMax,
    isDefaultNonMaxConfig: isDefault,
    isDefaultMaxConfig: isMax,
    variantStringRepresentation: text === "" ? familyId : `${familyId}[${text}]`,
    legacySlug: slug,
  };
}

/** The first words of the message, as a title: whatever a client writes around the user's words would be in it. */
function titleOf(message: string): string {
  const words = message
    .trim()
    .split(/\s+/)
    .slice(0, 6)
    .join(" ")
    .replace(/[.,:;!?]$/, "");
  return words === "" ? "New Agent" : words.charAt(0).toUpperCase() + words.slice(1);
}
