import type { Model, ModelShape } from "../backends/backend.js";
import type { FamilyRules } from "../profile/index.js";
import { GatewayError } from "../turn/error.js";
import { optionsOf } from "./effort.js";
import { nearestNames } from "./fallback-model.js";
import { findModel, shownName } from "./find-model.js";
import { ModelList, type ModelListDeps } from "./model-list.js";
import { orderShapes, preferShapes } from "./name-shapes.js";
import {
  type ModelPreferences,
  type ModelRequest,
  orList,
  type ResolvedModel,
  resolveModel,
  resolveUnlisted,
  resolveWithoutList,
} from "./resolve.js";

export type Catalogue = ReturnType<typeof createCatalogue>;

interface CatalogueDeps extends ModelListDeps {
  preferences?: ModelPreferences;
  rulesOf?: (modelId: string) => Pick<FamilyRules, "idShapes">;
}

const noPreferences: ModelPreferences = { aliases: {}, vendors: [], knowsOwnNamesOnly: false, prefersMax: false };

export function createCatalogue({ preferences = noPreferences, rulesOf, ...deps }: CatalogueDeps) {
  const models = new ModelList(deps);

  const list = async (signal: AbortSignal): Promise<readonly Model[]> => {
    if (models.known === undefined) return models.refresh(signal);
    models.refreshInBackground();
    return models.known;
  };

  const current = (requested: ModelRequest): ResolvedModel | undefined => {
    const { known } = models;
    const resolved = (known && resolveModel(requested, known, preferences)) ?? resolveWithoutList(requested);
    if (resolved !== undefined && known !== undefined) models.refreshInBackground();
    return resolved && inLearnedShape(resolved);
  };

  const inLearnedShape = (model: ResolvedModel): ResolvedModel => {
    if (model.shapes === undefined) return model;
    const kinds = rulesOf?.(model.id).idShapes;
    const learned = models.shapes;
    if (kinds === undefined && learned === undefined) return model;
    const shapes = kinds === undefined ? model.shapes : preferShapes(model.shapes, kinds);
    return { ...model, shapes: orderShapes(shapes, learned ?? {}) };
  };

  return {
    /** An old list is returned at once and refreshed in the background. @throws GatewayError when there is none and Cursor cannot be asked */
    list,
    refresh: (signal: AbortSignal) => models.refresh(signal),

    /** The model that a name means in a request, for the lists that clients read. @throws GatewayError `model_not_found` */
    async find(name: string, signal: AbortSignal): Promise<Model> {
      const known = await list(signal);
      const early = describeModel(name, known, preferences);
      if (early !== undefined) return early;
      const newest = (await models.fresh(signal)) ?? known;
      const found = describeModel(name, newest, preferences);
      if (found === undefined) throw notFound(name, newest, preferences);
      return found;
    },

    /** The model that a client means, if that can be said without asking Cursor. */
    current,
    /** The model that a client means. @throws GatewayError `model_not_found` when a fresh list lacks it; other names are passed on */
    async resolve(requested: ModelRequest, signal: AbortSignal): Promise<ResolvedModel> {
      const early = current(requested);
      if (early !== undefined) return early;
      const newest = await models.fresh(signal);
      if (newest === undefined) return inLearnedShape(resolveUnlisted(requested));
      const found = resolveModel(requested, newest, preferences);
      if (found === undefined) throw notFound(requested.model, newest, preferences);
      return inLearnedShape(found);
    },

    /** Whether a name, without parameters, is one by which the list as it is known here has a model or a variant. */
    knows: (name: string) => isListed(name, models.known ?? []),
    /** Remembers which shape of a model's name Cursor takes; undefined: none of the first two, unless that was a limit. */
    learnShape: (shapes: readonly ModelShape[], worked: ModelShape | undefined, isCertain: boolean) =>
      models.learnShape(shapes, worked, isCertain),
  };
}

/** Cursor chooses a model for `auto` whatever the list says. */
function isListed(name: string, models: readonly Model[]): boolean {
  return (
    name === "auto" ||
    models.some(({ id, base, variants }) => {
      return shownName({ id }) === name || base === name || variants?.some(({ slug }) => slug === name);
    })
  );
}

/** The listed model that a name means in requests, under the name that replies will carry. */
function describeModel(name: string, models: readonly Model[], preferences: ModelPreferences): Model | undefined {
  const resolved = resolveModel({ model: name }, models, preferences);
  if (resolved === undefined) return undefined;
  const { shownAs: id, contextTokens } = resolved;
  const listed = findModel(name, models, preferences)?.model ?? { name: id, aliases: [], canThink: false };
  return { ...listed, id, ...(contextTokens !== undefined && { contextTokens }) };
}

/** Longer than any model's name. */
const MAX_SHOWN = 100;

function notFound(asked: string, models: readonly Model[], preferences: ModelPreferences): GatewayError {
  const { vendors } = preferences;
  const near = nearestNames(asked, models.map(shownName), 3, vendors).map((name) => `\`${name}\``);
  const text =
    unknownOption(asked, models, preferences) ??
    `The model \`${asked.slice(0, MAX_SHOWN)}\` is not in your Cursor list. Did you mean ${orList(near)}? \`curlew models\` lists them all.`;
  return new GatewayError("model_not_found", text, { param: "model" });
}

/** For a name of which only the last option is wrong, such as `opus:turbo`: what the model takes there. */
function unknownOption(asked: string, models: readonly Model[], preferences: ModelPreferences): string | undefined {
  const colon = asked.lastIndexOf(":");
  const found = colon < 1 ? undefined : findModel(asked.slice(0, colon), models, preferences);
  if (found === undefined) return undefined;
  const name = `\`${shownName(found.model)}\``;
  const options = optionsOf(found.model);
  const takes = options.length === 0 ? `${name} takes none.` : `${name} takes ${orList(options)}.`;
  return `The model ${name} has no option \`${asked.slice(colon + 1, colon + 1 + MAX_SHOWN)}\` after the colon: ${takes}`;
}
