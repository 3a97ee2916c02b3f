import type { Model } from "./backends/backend.js";
import { closest } from "./closest.js";
import { GatewayError } from "./turn/error.js";

const FRESH_MS = 10 * 60_000;
/** Passes any name on as it is, past our list. */
const RAW_PREFIX = "raw/";

export interface ResolvedModel {
  /** What to ask Cursor for. */
  readonly id: string;
  /** What to call it in the answer. */
  readonly shownAs: string;
}

export interface Catalogue {
  /** The models, from the last listing while it is fresh. */
  list(signal: AbortSignal): Promise<readonly Model[]>;
  /** Which model a client means. An unknown one is refused only when a fresh list lacks it. */
  resolve(asked: string, signal: AbortSignal): Promise<ResolvedModel>;
}

interface CatalogueDeps {
  fetchModels: (signal: AbortSignal) => Promise<readonly Model[]>;
  now?: () => number;
  /** How long a turn waits for the first list; Cursor's own CLI gives its listing as much. */
  firstListMs?: number;
}

export function createCatalogue({ fetchModels, now = Date.now, firstListMs = 2_000 }: CatalogueDeps): Catalogue {
  let held: { models: readonly Model[]; atMs: number } | undefined;
  let pending: Promise<readonly Model[]> | undefined;

  const isFresh = () => held !== undefined && now() - held.atMs < FRESH_MS;

  // One listing serves everybody who waits, so no single caller's signal may end it.
  const refresh = () => {
    pending ??= fetchModels(AbortSignal.timeout(30_000))
      .then((models) => {
        // An empty list is a trouble of Cursor's, not news about the account.
        if (models.length > 0) held = { models, atMs: now() };
        return held?.models ?? models;
      })
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };

  const freshList = async (signal: AbortSignal): Promise<readonly Model[] | undefined> => {
    if (isFresh()) return held?.models;
    try {
      await unlessAborted(refresh(), AbortSignal.any([signal, AbortSignal.timeout(firstListMs)]));
      return isFresh() ? held?.models : undefined;
    } catch {
      return undefined; // no list is no reason to refuse: the turn itself will meet the same trouble and say it better
    }
  };

  return {
    async list(signal) {
      if (isFresh() && held !== undefined) return held.models;
      try {
        return await unlessAborted(refresh(), signal);
      } catch (thrown) {
        if (held !== undefined) return held.models;
        throw thrown;
      }
    },

    async resolve(asked, signal) {
      if (asked.startsWith(RAW_PREFIX)) {
        const id = asked.slice(RAW_PREFIX.length);
        return { id, shownAs: id };
      }
      const known = held && find(held.models, asked);
      if (known !== undefined) return known;
      if (asked.toLowerCase() === "auto" || asked === "default") return { id: "default", shownAs: "auto" };
      const models = await freshList(signal);
      if (models === undefined) return { id: asked, shownAs: asked };
      const found = find(models, asked);
      if (found !== undefined) return found;
      throw new GatewayError("model_not_found", notFoundText(asked, models), { param: "model" });
    },
  };
}

/** The name that people use: Cursor's own `default` is called `auto` everywhere but on the wire. */
export function shownName(model: Model): string {
  return model.id === "default" ? "auto" : model.id;
}

function find(models: readonly Model[], asked: string): ResolvedModel | undefined {
  const wanted = asked.toLowerCase();
  const model =
    models.find((each) => each.id.toLowerCase() === wanted) ??
    models.find((each) => each.aliases.some((alias) => alias.toLowerCase() === wanted));
  return model && { id: model.id, shownAs: shownName(model) };
}

function notFoundText(asked: string, models: readonly Model[]): string {
  const near = closest(asked, models.map(shownName), 3).map((name) => `\`${name}\``);
  const hint =
    near.length > 0 ? `Did you mean ${near.join(", ")}?` : "`GET /v1/models` or `curlew models` lists what there is.";
  return `The model \`${asked}\` is not in your Cursor list. ${hint}`;
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new GatewayError("timeout", "Cursor's model list did not come in time; try again."));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
