import type { LiveEvent, NowAnswer, PageEntry } from "../../access/contract.js";
import { call, eventsOf, messageOf, Problem, read } from "./call.js";
import { Listeners } from "./listeners.js";

export type Connection = "connecting" | "live" | "offline" | "locked-out";

export interface LiveView {
  readonly connection: Connection;
  /** Undefined until the first answer; kept while offline. */
  readonly now: NowAnswer | undefined;
  /** Gateway clock minus browser clock. */
  readonly skewMs: number;
  readonly problem: string | undefined;
}

export type EndedListener = (ended: { readonly entries: readonly PageEntry[]; readonly skipped: number }) => void;

const RETRY_MS = { first: 500, most: 15_000 };
/** Status for a missing or expired session. */
const LOCKED_OUT = 401;
/** A hidden page stays connected for a while, because users come back. */
const HIDDEN_MS = 60_000;
/** The gateway sends keep-alives more often than this. */
const SILENCE_MS = 60_000;

export class Live extends Listeners {
  #view: LiveView = { connection: "connecting", now: undefined, skewMs: 0, problem: undefined };
  readonly #onEnded = new Set<EndedListener>();
  #stopping: AbortController | undefined;
  #hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  #wake = () => {};

  get view(): LiveView {
    return this.#view;
  }

  /** Subscribes to ended requests. Returns the function that unsubscribes. */
  onEnded(listener: EndedListener): () => void {
    this.#onEnded.add(listener);
    return () => void this.#onEnded.delete(listener);
  }

  /** Connects, and reconnects when needed while the page is visible. */
  start(): void {
    document.addEventListener("visibilitychange", this.#watch);
    this.reconnect();
  }

  /** A field, so that a second start does not add a second listener. */
  readonly #watch = () => {
    clearTimeout(this.#hiddenTimer);
    if (document.hidden) this.#hiddenTimer = setTimeout(() => this.#stopping?.abort(), HIDDEN_MS);
    else this.reconnect();
  };

  /** Retries at once. No-op while connected. */
  reconnect(): void {
    if (this.#stopping !== undefined && !this.#stopping.signal.aborted) {
      this.#wake();
      return;
    }
    const stopping = new AbortController();
    this.#stopping = stopping;
    void this.#follow(stopping.signal);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for (let waitMs = RETRY_MS.first; !signal.aborted; waitMs = Math.min(waitMs * 2, RETRY_MS.most)) {
      try {
        await this.#listen(signal, () => {
          waitMs = RETRY_MS.first;
        });
      } catch (thrown) {
        if (signal.aborted) return;
        if (thrown instanceof Problem && thrown.status === LOCKED_OUT) {
          this.#stopping?.abort();
          this.#set({ ...this.#view, connection: "locked-out", problem: thrown.message });
          return;
        }
        this.#set({ ...this.#view, connection: "offline", problem: messageOf(thrown) });
      }
      await this.#pause(waitMs);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Resolves when the gateway ends the stream. */
  async #listen(signal: AbortSignal, onOpen: () => void): Promise<void> {
    const silence = new AbortController();
    const either = AbortSignal.any([signal, silence.signal]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stillAlive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    stillAlive();
    try {
      const now = await read<NowAnswer>("now", either);
      const skewMs = now.nowMs - Date.now();
      const answer = await call("live", { signal: either });
      onOpen();
      // Not earlier: a list read from now on misses no request that ends after it was made.
      this.#set({ connection: "live", now, skewMs, problem: undefined });
      for await (const { name, data } of eventsOf(answer, stillAlive)) {
        this.#take({ name, data: JSON.parse(data) } as LiveEvent);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #take(event: LiveEvent): void {
    if (event.name === "ended") {
      for (const listener of this.#onEnded) listener(event.data);
      return;
    }
    const { now } = this.#view;
    if (now === undefined) return;
    this.#set({ ...this.#view, now: { ...now, ...event.data }, skewMs: event.data.nowMs - Date.now() });
  }

  #set(view: LiveView): void {
    this.#view = view;
    this.tell();
  }
}
