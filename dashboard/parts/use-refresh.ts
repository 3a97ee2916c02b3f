import { useContext, useEffect, useRef } from "preact/hooks";
import { LiveContext } from "./use-live.js";

const REST_MS = 3_000;

/** Asks again when requests have ended, when there was no connection that could tell, and when somebody comes back to the page. */
export function useRefresh(ask: () => Promise<void>): void {
  const live = useContext(LiveContext);
  const newest = useRef(ask);
  newest.current = ask;
  useEffect(() => {
    const refresher = new Refresher(REST_MS, () => newest.current());
    const look = () => refresher.noteLook(!document.hidden);
    let { connection } = live.view;
    const leave = [
      live.onEnded(() => refresher.noteChange()),
      live.subscribe(() => {
        if (connection !== "live" && live.view.connection === "live") refresher.noteChange();
        connection = live.view.connection;
      }),
      () => document.removeEventListener("visibilitychange", look),
      () => refresher.stop(),
    ];
    document.addEventListener("visibilitychange", look);
    look();
    return () => {
      for (const end of leave) end();
    };
  }, [live]);
}

/** An answer of the gateway may have been made for somebody else, and be this old. It then lacks what has changed since. */
const MAX_AGE_MS = 1_000;

/** Asks again for what has changed: only while somebody looks, one question at a time, with a rest after each answer. */
export class Refresher {
  readonly #restMs: number;
  readonly #ask: () => Promise<void>;
  #isDue = false;
  #changedMs = Number.NEGATIVE_INFINITY;
  #isSeen = true;
  #isStopped = false;
  /** A question is open, or the rest after it. */
  #isBusy = false;

  constructor(restMs: number, ask: () => Promise<void>) {
    this.#restMs = restMs;
    this.#ask = ask;
  }

  noteChange(): void {
    this.#isDue = true;
    this.#changedMs = performance.now();
    this.#askIfDue();
  }

  /** Somebody looks away, or comes back. Nobody has told of changes meanwhile. */
  noteLook(isSeen: boolean): void {
    if (isSeen && !this.#isSeen) this.#isDue = true;
    this.#isSeen = isSeen;
    this.#askIfDue();
  }

  stop(): void {
    this.#isStopped = true;
  }

  #askIfDue(): void {
    if (!this.#isDue || !this.#isSeen || this.#isBusy || this.#isStopped) return;
    this.#isDue = performance.now() - this.#changedMs <= MAX_AGE_MS;
    this.#isBusy = true;
    void this.#ask().finally(() => setTimeout(() => this.#endRest(), this.#restMs));
  }

  #endRest(): void {
    this.#isBusy = false;
    this.#askIfDue();
  }
}
