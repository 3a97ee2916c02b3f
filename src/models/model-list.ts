import type { Model, ModelShape } from "../backends/backend.js";
import { anySignal, unlessAborted } from "../turn/any-signal.js";
import { GatewayError } from "../turn/error.js";
import type { HeldModels, ModelCache } from "./model-file.js";
import { type LearnedShapes, learnShape } from "./name-shapes.js";

const FRESH_MS = 10 * 60_000;
/** The wait after a failed listing, while there is an old list to use. */
const RETRY_MS = 30_000;
const LISTING_MS = 30_000;

export interface ModelListDeps {
  fetchModels: (signal: AbortSignal) => Promise<readonly Model[]>;
  cache?: ModelCache;
  now?: () => number;
  /** How long a turn waits for a list: a little longer than the listing itself waits for its optional parts. */
  firstListMs?: number;
}

export class ModelList {
  readonly #deps: ModelListDeps;
  readonly #now: () => number;
  #held: HeldModels | undefined;
  #isLoaded = false;
  #pending: Promise<readonly Model[]> | undefined;
  #failedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ModelListDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? Date.now;
  }

  get known(): readonly Model[] | undefined {
    return this.#load()?.models;
  }

  get shapes(): LearnedShapes | undefined {
    return this.#load()?.shapes;
  }

  learnShape(shapes: readonly ModelShape[], worked: ModelShape | undefined, isCertain: boolean): void {
    const held = this.#load();
    if (held !== undefined) this.#keep({ ...held, shapes: learnShape(this.shapes ?? {}, shapes, worked, isCertain) });
  }

  /** The newest list, or the old one when that is empty. @throws the listing's error, or GatewayError `timeout` or `canceled` for the signal */
  refresh(signal: AbortSignal): Promise<readonly Model[]> {
    return unlessAborted(this.#fetchOnce(), signal, () => stopped(signal));
  }

  refreshInBackground(): void {
    if (this.#isFresh() || this.#now() - this.#failedMs < RETRY_MS) return;
    this.#fetchOnce().catch(() => {}); // the old list goes on serving; a turn that needs a new one will report the problem itself
  }

  /** A fresh list; undefined when none comes in time. The turn goes on without it, meets the same problem and reports it better. */
  async fresh(signal: AbortSignal): Promise<readonly Model[] | undefined> {
    if (this.#isFresh()) return this.known;
    const { firstListMs = 2_500 } = this.#deps;
    await this.refresh(anySignal([signal, AbortSignal.timeout(firstListMs)])).catch(() => undefined);
    return this.#isFresh() ? this.known : undefined;
  }

  /** One listing serves all callers that wait, so no single caller's signal may end it. */
  #fetchOnce(): Promise<readonly Model[]> {
    this.#pending ??= this.#fetch().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #fetch(): Promise<readonly Model[]> {
    const models = await this.#deps.fetchModels(AbortSignal.timeout(LISTING_MS)).catch((thrown: unknown) => {
      this.#failedMs = this.#now();
      throw thrown;
    });
    // An empty list is a problem at Cursor, and says nothing about the account.
    if (models.length === 0) this.#failedMs = this.#now();
    else this.#keep({ ...this.#load(), models, atMs: this.#now() });
    return this.known ?? models;
  }

  #keep(held: HeldModels): void {
    this.#held = held;
    this.#isLoaded = true;
    this.#deps.cache?.save(held);
  }

  #load(): HeldModels | undefined {
    if (!this.#isLoaded) this.#held = this.#deps.cache?.load();
    this.#isLoaded = true;
    return this.#held;
  }

  #isFresh(): boolean {
    return this.#now() - (this.#load()?.atMs ?? Number.NEGATIVE_INFINITY) < FRESH_MS;
  }
}

function stopped({ reason }: AbortSignal): GatewayError {
  if (reason instanceof Error && reason.name === "TimeoutError") {
    return new GatewayError("timeout", "Cursor's model list did not come in time; try again.");
  }
  return new GatewayError("canceled", "The client left before Cursor's model list came.");
}
