import type { ModelDetails } from "@curlew/wire/gen/agent_v1_pb.js";
import {
  AiService,
  type AvailableModelsResponse_AvailableModel as AvailableModel,
  type ModelParameterDefinition,
  type ModelVariantConfig,
} from "@curlew/wire/gen/aiserver_v1_pb.js";
import { ask, type Network } from "../../network/index.js";
import { anySignal } from "../../turn/any-signal.js";
import { field, listField, parseJson, textField } from "../../turn/read-json.js";
import type { Model, ModelParameter, ModelVariant } from "../backend.js";
import type { CursorProfile } from "../profile/index.js";
import type { SignedCalls } from "./signed-calls.js";

/** The time limit for lists that only add details, as in Cursor's own CLI (docs/protocol/wire.md, models). */
const OPTIONAL_MS = 2_000;

interface ListingDeps {
  readonly calls: Pick<SignedCalls, "call">;
  /** Cursor's documented API, for accounts with a key that it accepts. */
  readonly restModels?: ((signal: AbortSignal) => Promise<ModelFamily[]>) | undefined;
}

/** The usable models in Cursor's order, with details of all other lists. @throws GatewayError when that list fails */
export async function listModels({ calls, restModels }: ListingDeps, signal: AbortSignal): Promise<Model[]> {
  const limited = anySignal([signal, AbortSignal.timeout(OPTIONAL_MS)]);
  const request = { useModelParameters: true, doNotUseMarkdown: true };
  const [usable, available, documented] = await Promise.all([
    calls.call(AiService.method.getUsableModels, {}, signal),
    calls.call(AiService.method.availableModels, request, limited).then(
      ({ models }) => models.map(familyOf),
      () => [],
    ),
    restModels?.(limited).catch(() => []) ?? [],
  ]);
  return joinModels(usable.models, [...available, ...documented]);
}

/** Families that come first win over later ones of the same name, which only fill gaps. */
export function joinModels(usable: readonly ModelDetails[], reported: readonly ModelFamily[]): Model[] {
  const families = new Map<string, ModelFamily>();
  for (const family of reported) {
    const known = families.get(family.base);
    families.set(family.base, known === undefined ? family : fill(known, family));
  }
  const all = [...families.values()];
  const joined = usable.map((details) => ({ details, family: all.find((family) => isMember(details, family)) }));
  return joined.map(({ details, family }) => {
    if (family === undefined) return toModel(details);
    const members = joined.filter((each) => each.family === family).map((each) => each.details.modelId);
    const preferred = family.variants.find(({ isDefault, isMax }) => isDefault && !isMax)?.slug;
    const main = [family.base, preferred].find((name) => name !== undefined && members.includes(name)) ?? members[0];
    return toModel(details, family, details.modelId === main);
  });
}

function fill(known: ModelFamily, more: ModelFamily): ModelFamily {
  return {
    ...more,
    ...known,
    aliases: [...known.aliases, ...more.aliases],
    parameters: known.parameters.length > 0 ? known.parameters : more.parameters,
    variants: known.variants.length > 0 ? known.variants : more.variants,
  };
}

function isMember({ modelId, displayModelId }: ModelDetails, { base, slugs, variants, aliases }: ModelFamily): boolean {
  return (
    modelId === base ||
    slugs.includes(modelId) ||
    variants.some(({ slug }) => slug === modelId) ||
    displayModelId === base ||
    (displayModelId !== "" && aliases.includes(displayModelId))
  );
}

function toModel(details: ModelDetails, family?: ModelFamily, speaksForFamily = false): Model {
  const { modelId: id, displayModelId, displayName } = details;
  const names = [
    displayModelId,
    ...details.aliases,
    ...(speaksForFamily && family ? [family.base, ...family.aliases] : []),
  ];
  const { base, aliases: _, slugs: __, ...ofFamily } = family ?? {};
  return {
    ...ofFamily,
    id,
    name: displayName || id,
    aliases: [...new Set(names.filter((name) => name !== "" && name !== id))],
    canThink: details.thinkingDetails !== undefined || (family?.canThink ?? false),
    ...(base !== undefined && base !== id && { base }),
  };
}

export interface ModelFamily extends Pick<Model, "aliases" | "contextTokens" | "maxContextTokens"> {
  readonly base: string;
  readonly canThink?: boolean;
  readonly canSeeImages?: boolean;
  readonly canMax?: boolean;
  readonly parameters: readonly ModelParameter[];
  readonly variants: readonly ModelVariant[];
  /** Names of variants whose values are not listed. */
  readonly slugs: readonly string[];
}

function familyOf(model: AvailableModel): ModelFamily {
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

interface RestDeps {
  readonly backendUrl: string;
  /** Cursor's own hosts. A backend set by hand, a local one or a staging one serves every call itself. */
  readonly hosts: Pick<CursorProfile["hosts"], "api" | "rest">;
  /** The API key itself: this API does not accept an exchanged token. */
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly network: Pick<Network, "fetch">;
}

export async function listRestModels(
  { backendUrl, hosts, apiKey, headers, network }: RestDeps,
  signal: AbortSignal,
): Promise<ModelFamily[]> {
  const host = backendUrl === hosts.api ? hosts.rest : backendUrl;
  const { status, body } = await ask(network, new URL("/v1/models", host), {
    headers: { ...headers, authorization: `Bearer ${apiKey}` },
    signal,
  });
  return status === 200 ? listField(parseJson(body.toString("utf8")), "items").flatMap(toFamily) : [];
}

/** Converts one entry of the documented API's list. Unknown shapes are skipped. */
export function toFamily(item: unknown): ModelFamily[] {
  const base = textField(item, "id");
  if (base === "") return [];
  const parameters = listField(item, "parameters").map((each) => ({
    id: textField(each, "id"),
    values: listField(each, "values").map((value) => textField(value, "value")),
  }));
  const variants = listField(item, "variants").map((each) => ({
    name: textField(each, "displayName"),
    parameters: listField(each, "params").map((value) => ({
      id: textField(value, "id"),
      value: textField(value, "value"),
    })),
    isMax: false,
    isDefault: field(each, "isDefault") === true,
  }));
  const aliases = listField(item, "aliases").filter((each) => typeof each === "string");
  return [{ base, aliases, slugs: [], parameters, variants }];
}
