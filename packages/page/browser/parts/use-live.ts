import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { type Problem, read, toProblem } from "../api/call.js";
import type { Listeners } from "../api/listeners.js";
import { type EndedListener, Live, type LiveView } from "../api/live.js";

export const LiveContext = createContext(new Live());

/** The live state. Rerenders the component when it changes. */
export function useLive(): LiveView {
  const live = useContext(LiveContext);
  useChanges(live);
  return live.view;
}

/** Calls the listener of the latest render for ended requests. */
export function useEnded(listener: EndedListener): void {
  const live = useContext(LiveContext);
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => live.onEnded((ended) => latest.current(ended)), [live]);
}

/** Rerenders the component when the source changes, throttled to `everyMs`. */
export function useChanges(source: Listeners, everyMs = 0): void {
  const [, setRound] = useState(0);
  useEffect(() => {
    let timer = 0;
    const draw = () => {
      timer = 0;
      setRound((before) => before + 1);
    };
    const onChange = () => {
      if (everyMs === 0) draw();
      else if (timer === 0) timer = window.setTimeout(draw, everyMs);
    };
    // It may have changed before this effect ran.
    draw();
    const end = source.subscribe(onChange);
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [source, everyMs]);
}

/** The time, updated while `isNeeded`: an idle page does not rerender. */
export function useClock(everyMs: number, isNeeded: boolean): number {
  const [nowMs, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isNeeded) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isNeeded]);
  return nowMs;
}

export type Asked<Answer> = ReturnType<typeof useAnswer<Answer>>;

/** Loads when the path changes, on request, and when the gateway is back after a failure. Without a path, loads nothing. */
export function useAnswer<Answer>(path: string | undefined) {
  const [round, setRound] = useState(0);
  const [got, setGot] = useState<{ path: string | undefined; answer?: Answer; problem?: Problem }>({ path });
  // A new round reloads the same path.
  useEffect(() => {
    if (path === undefined) return;
    const leaving = new AbortController();
    setGot((before) => (before.path === path ? before : { path }));
    read<Answer>(path, leaving.signal).then(
      (answer) => setGot({ path, answer }),
      (thrown: unknown) => {
        if (!leaving.signal.aborted) setGot((before) => ({ ...before, problem: toProblem(thrown) }));
      },
    );
    return () => leaving.abort();
  }, [path, round]);
  const current = got.path === path;
  const again = () => setRound((before) => before + 1);
  const live = useContext(LiveContext);
  const isMissing = current && got.problem !== undefined;
  useEffect(() => {
    if (!isMissing) return;
    let { connection } = live.view;
    return live.subscribe(() => {
      if (connection === "offline" && live.view.connection === "live") again();
      connection = live.view.connection;
    });
  }, [live, isMissing]);
  return {
    /** The latest answer; kept while it is reloaded. */
    answer: current ? got.answer : undefined,
    problem: current ? got.problem?.message : undefined,
    status: current ? got.problem?.status : undefined,
    again,
  };
}

const REST_MS = 3_000;

/** Reloads when requests have ended, after a reconnect, and when the page becomes visible again. */
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

/** The gateway may share an answer between pages, so it can be this old and lack the latest change. */
const MAX_AGE_MS = 1_000;

/** Throttles reloads: only while the page is visible, one at a time, with a pause after each answer. */
export class Refresher {
  readonly #restMs: number;
  readonly #ask: () => Promise<void>;
  #isDue = false;
  #changedMs = Number.NEGATIVE_INFINITY;
  #isSeen = true;
  #isStopped = false;
  /** A request is open, or the pause after it. */
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

  /** The page was hidden or shown. While it is hidden, changes may have been missed. */
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
