import { setTimeout as delay } from "node:timers/promises";

/** Time, injected so that tests can control it. */
export interface Clock {
  now(): number;
  /** Milliseconds since some moment in the past; unlike the time of day, it never jumps. */
  elapsed(): number;
  /** Calls back periodically until stopped; does not keep the process alive. */
  every(intervalMs: number, callback: () => void): () => void;
  /** Calls back once unless stopped before; does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
  /** Resolves after the time, or at once when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Whether the promise settles in time, fulfilled or rejected. */
export async function settlesWithin(ms: number, promise: Promise<unknown>, clock: Clock): Promise<boolean> {
  if (ms <= 0) return false;
  const settled = new AbortController();
  const settle = () => settled.abort();
  promise.then(settle, settle);
  await clock.sleep(ms, settled.signal);
  return settled.signal.aborted;
}

/** Lets other work of the event loop run. Called between the steps of long requests. */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Does the rest of sliced work at once. */
export function finish<Result>(work: Generator<undefined, Result, undefined>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Does the rest of sliced work, and lets others run before each step. */
export async function finishInSlices<Result>(work: Generator<undefined, Result, undefined>): Promise<Result> {
  for (;;) {
    await yieldToOthers();
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Polls its members with one timer, which runs only while it has members. */
export class Watch<Member> {
  readonly #members = new Set<Member>();
  readonly #begin: () => () => void;
  #stop: (() => void) | undefined;

  constructor(clock: Pick<Clock, "every">, intervalMs: number, look: (member: Member) => void) {
    this.#begin = () =>
      clock.every(intervalMs, () => {
        for (const each of this.#members) look(each);
      });
  }

  /** The member is polled until the returned function is called. */
  add(member: Member): () => void {
    this.#members.add(member);
    this.#stop ??= this.#begin();
    return () => {
      this.#members.delete(member);
      if (this.#members.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  every(intervalMs, callback) {
    const timer = setInterval(callback, intervalMs);
    timer.unref();
    return () => clearInterval(timer);
  },
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => {}),
};
