import type { Model } from "../backends/backend.js";
import { GatewayError } from "../turn/error.js";
import { describeModel } from "./describe.js";
import type { HeldModels, ModelShelf } from "./model-file.js";
import {
  type ModelPreferences,
  type ModelWish,
  type ResolvedModel,
  resolveModel,
  resolveUnlisted,
  resolveWithoutList,
} from "./resolve.js";
import { shownName } from "./shown-name.js";
import { nearestNames } from "./stand-in.js";

const FRESH_MS = 10 * 60_000;
/** After a listing that failed, nobody asks again for so long unless there is nothing else to go by. */
const RETRY_MS = 30_000;

export interface Catalogue {
  /** The models. An old list answers at once and is renewed behind. */
  list(signal: AbortSignal): Promise<readonly Model[]>;
  /** The models as Cursor lists them now. */
  refresh(signal: AbortSignal): Promise<readonly Model[]>;
  /** The model that a name means in a request, as a client may be told of it. */
  find(name: string, signal: AbortSignal): Promise<Model>;
  /** Which model a client means. An unknown one is refused only when a fresh list lacks it. */
  resolve(wish: ModelWish, signal: AbortSignal): Promise<ResolvedModel>;
}

interface CatalogueDeps {
  fetchModels: (signal: AbortSignal) => Promise<readonly Model[]>;
  /** Where lists outlive the process. */
  shelf?: ModelShelf;
  preferences?: ModelPreferences;
  now?: () => number;
  /** How long a turn waits for a list: a little longer than the listing itself waits for what is optional in it. */
  firstListMs?: number;
}

const noPreferences: ModelPreferences = { aliases: {}, prefersMax: false };

export function createCatalogue({
  fetchModels,
  shelf,
  preferences = noPreferences,
  now = Date.now,
  firstListMs = 2_500,
}: CatalogueDeps): Catalogue {
  let loaded: HeldModels | undefined;
  let isLoaded = false;
  let pending: Promise<readonly Model[]> | undefined;
  let failedMs = Number.NEGATIVE_INFINITY;

  const held = (): HeldModels | undefined => {
    if (!isLoaded) loaded = shelf?.load();
    isLoaded = true;
    return loaded;
  };
  const isFresh = () => now() - (held()?.atMs ?? Number.NEGATIVE_INFINITY) < FRESH_MS;

  // One listing serves everybody who waits, so no single caller's signal may end it.
  const fetchOnce = () => {
    pending ??= fetchModels(AbortSignal.timeout(30_000))
      .then(
        (models) => {
          // An empty list is a trouble of Cursor's, not news about the account.
          if (models.length === 0) failedMs = now();
          else {
            loaded = { models, atMs: now() };
            isLoaded = true;
            shelf?.save(loaded);
          }
          return held()?.models ?? models;
        },
        (thrown: unknown) => {
          failedMs = now();
          throw thrown;
        },
      )
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };

  const renewBehind = () => {
    if (isFresh() || now() - failedMs < RETRY_MS) return;
    fetchOnce().catch(() => {}); // what is held goes on serving; a turn that needs more meets the trouble itself
  };

  const freshList = async (signal: AbortSignal): Promise<readonly Model[] | undefined> => {
    if (isFresh()) return held()?.models;
    try {
      await unlessAborted(fetchOnce(), AbortSignal.any([signal, AbortSignal.timeout(firstListMs)]));
      return isFresh() ? held()?.models : undefined;
    } catch {
      return undefined; // no list is no reason to refuse: the turn itself will meet the same trouble and say it better
    }
  };

  const list = async (signal: AbortSignal): Promise<readonly Model[]> => {
    const known = held();
    if (known === undefined) return unlessAborted(fetchOnce(), signal);
    renewBehind();
    return known.models;
  };

  return {
    list,

    async find(name, signal) {
      const known = await list(signal);
      const early = describeModel(name, known, preferences);
      if (early !== undefined) return early;
      const models = (await freshList(signal)) ?? known;
      const found = describeModel(name, models, preferences);
      if (found === undefined) throw notFound(name, models);
      return found;
    },

    refresh: (signal) => unlessAborted(fetchOnce(), signal),

    async resolve(wish, signal) {
      const known = held();
      const early = (known && resolveModel(wish, known.models, preferences)) ?? resolveWithoutList(wish);
      if (early !== undefined) {
        if (known !== undefined) renewBehind();
        return early;
      }
      const models = await freshList(signal);
      if (models === undefined) return resolveUnlisted(wish);
      const found = resolveModel(wish, models, preferences);
      if (found !== undefined) return found;
      throw notFound(wish.model, models);
    },
  };
}

/** Longer than any name of a model. */
const MAX_SHOWN = 100;

function notFound(asked: string, models: readonly Model[]): GatewayError {
  const near = nearestNames(asked, models.map(shownName), 3).map((name) => `\`${name}\``);
  const hint = `Did you mean ${near.join(", ")}? \`GET /v1/models\` and \`curlew models\` list what there is.`;
  return new GatewayError(
    "model_not_found",
    `The model \`${asked.slice(0, MAX_SHOWN)}\` is not in your Cursor list. ${hint}`,
    {
      param: "model",
    },
  );
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new GatewayError("timeout", "Cursor's model list did not come in time; try again."));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
