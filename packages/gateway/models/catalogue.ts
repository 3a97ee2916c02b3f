import type { Model, ModelShape } from "../backends/backend.js";
import type { FamilyRules } from "../backends/profile/index.js";
import { inFlight } from "../system/turnstile.js";
import { anySignal, unlessAborted } from "../turn/any-signal.js";
import { GatewayError } from "../turn/error.js";
import { optionsOf } from "./effort.js";
import { nearestNames } from "./fallback-model.js";
import { findModel, shownName } from "./find-model.js";
import type { HeldModels, ModelCache } from "./model-file.js";
import { learnShape, orderShapes, preferShapes } from "./name-shapes.js";
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

const FRESH_MS = 10 * 60_000;
/** The wait after a failed listing, while there is an old list to use. */
const RETRY_MS = 30_000;
const LISTING_MS = 30_000;

interface CatalogueDeps {
  fetchModels: (signal: AbortSignal) => Promise<readonly Model[]>;
  cache?: ModelCache;
  now?: () => number;
  /** How long a turn waits for a list: a little longer than the listing itself waits for its optional parts. */
  firstListMs?: number;
  preferences?: ModelPreferences;
  rulesOf?: (modelId: string) => Pick<FamilyRules, "idShapes">;
}

const noPreferences: ModelPreferences = { aliases: {}, vendors: [], knowsOwnNamesOnly: false, prefersMax: false };

export function createCatalogue(deps: CatalogueDeps) {
  const { fetchModels, cache, now = Date.now, firstListMs = 2_500, preferences = noPreferences, rulesOf } = deps;
  let loaded: { readonly held: HeldModels | undefined } | undefined;
  let failedMs = Number.NEGATIVE_INFINITY;

  const load = (): HeldModels | undefined => {
    loaded ??= { held: cache?.load() };
    return loaded.held;
  };

  const keep = (held: HeldModels): void => {
    loaded = { held };
    cache?.save(held);
  };

  const isFresh = () => now() - (load()?.atMs ?? Number.NEGATIVE_INFINITY) < FRESH_MS;

  const fetchNow = async (): Promise<readonly Model[]> => {
    const models = await fetchModels(AbortSignal.timeout(LISTING_MS)).catch((thrown: unknown) => {
      failedMs = now();
      throw thrown;
    });
    // An empty list is a problem at Cursor, and says nothing about the account.
    if (models.length === 0) failedMs = now();
    else keep({ ...load(), models, atMs: now() });
    return load()?.models ?? models;
  };

  /** One listing serves all waiting callers, so no single caller's signal may end it. */
  const fetchOnce = inFlight(fetchNow);

  const refresh = (signal: AbortSignal) => unlessAborted(fetchOnce(), signal, () => stopped(signal));

  const refreshInBackground = (): void => {
    if (isFresh() || now() - failedMs < RETRY_MS) return;
    fetchOnce().catch(() => {}); // the old list still serves; a turn that needs a new one will report the problem itself
  };

  /** A fresh list; undefined if none comes in time. The turn runs without it, meets the same problem and reports it better. */
  const fresh = async (signal: AbortSignal): Promise<readonly Model[] | undefined> => {
    if (!isFresh()) await refresh(anySignal([signal, AbortSignal.timeout(firstListMs)])).catch(() => undefined);
    return isFresh() ? load()?.models : undefined;
  };

  const list = async (signal: AbortSignal): Promise<readonly Model[]> => {
    const known = load()?.models;
    if (known === undefined) return refresh(signal);
    refreshInBackground();
    return known;
  };

  const current = (requested: ModelRequest): ResolvedModel | undefined => {
    const known = load()?.models;
    const resolved = (known && resolveModel(requested, known, preferences)) ?? resolveWithoutList(requested);
    if (resolved !== undefined && known !== undefined) refreshInBackground();
    return resolved && asLearned(resolved);
  };

  const asLearned = (resolved: ResolvedModel): ResolvedModel => {
    const { shapes: learned, dynamicTools } = load() ?? {};
    const hasDynamicTools = dynamicTools?.[resolved.id];
    const model = hasDynamicTools === undefined ? resolved : { ...resolved, hasDynamicTools };
    if (model.shapes === undefined) return model;
    const kinds = rulesOf?.(model.id).idShapes;
    if (kinds === undefined && learned === undefined) return model;
    const shapes = kinds === undefined ? model.shapes : preferShapes(model.shapes, kinds);
    return { ...model, shapes: orderShapes(shapes, learned ?? {}) };
  };

  return {
    /** Returns a stale list at once and refreshes it in the background. @throws as `refresh`, if no list is known */
    list,
    /** The newest list, or the old one when that is empty. @throws the listing's error, or GatewayError `timeout` or `canceled` for the signal */
    refresh,

    /** The model that a name means in a request, for the lists that clients read. @throws GatewayError `model_not_found` */
    async find(name: string, signal: AbortSignal): Promise<Model> {
      const known = await list(signal);
      const early = describeModel(name, known, preferences);
      if (early !== undefined) return early;
      const newest = (await fresh(signal)) ?? known;
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
      const newest = await fresh(signal);
      if (newest === undefined) return asLearned(resolveUnlisted(requested));
      const found = resolveModel(requested, newest, preferences);
      if (found === undefined) throw notFound(requested.model, newest, preferences);
      return asLearned(found);
    },

    /** Whether the known list has a model or a variant of this name, which has no parameters. */
    knows: (name: string) => isListed(name, load()?.models ?? []),
    /** Remembers which shape of a model's name Cursor accepts; undefined: neither of the first two, unless that was a limit. */
    learnShape(shapes: readonly ModelShape[], worked: ModelShape | undefined, isCertain: boolean): void {
      const held = load();
      if (held !== undefined) keep({ ...held, shapes: learnShape(held.shapes ?? {}, shapes, worked, isCertain) });
    },
    /** Remembers whether a model gets its tools by name alone, if there is a list to keep it with. */
    learnDynamicTools(id: string, isDynamic: boolean): void {
      const held = load();
      const known = held?.dynamicTools?.[id];
      // Cursor chooses another model for `default` now and then: it has them if one of these has.
      if (held === undefined || known === isDynamic || (known && id === "default")) return;
      keep({ ...held, dynamicTools: { ...held.dynamicTools, [id]: isDynamic } });
    },
  };
}

function stopped({ reason }: AbortSignal): GatewayError {
  if (reason instanceof Error && reason.name === "TimeoutError") {
    return new GatewayError("timeout", "Cursor's model list did not arrive in time; try again.");
  }
  return new GatewayError("canceled", "The client left before Cursor's model list arrived.");
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

/** For a name with only a wrong last option, such as `opus:turbo`: the options that the model takes. */
function unknownOption(asked: string, models: readonly Model[], preferences: ModelPreferences): string | undefined {
  const colon = asked.lastIndexOf(":");
  const found = colon < 1 ? undefined : findModel(asked.slice(0, colon), models, preferences);
  if (found === undefined) return undefined;
  const name = `\`${shownName(found.model)}\``;
  const options = optionsOf(found.model);
  const takes = options.length === 0 ? `${name} takes none.` : `${name} takes ${orList(options)}.`;
  return `The model ${name} has no option \`${asked.slice(colon + 1, colon + 1 + MAX_SHOWN)}\` after the colon: ${takes}`;
}
