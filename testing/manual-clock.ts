import type { Clock } from "../packages/gateway/system/clock.js";

/** A clock that moves only when a test advances it. Sleeps and intervals fire in order while it is advanced. */
export class ManualClock implements Clock {
  #nowMs: number;
  #setBackMs = 0;
  readonly #timers = new Set<{ atMs: number; everyMs: number | undefined; isSleep?: true; fire: () => void }>();

  constructor(startMs = 1_800_000_000_000) {
    this.#nowMs = startMs;
  }

  now = (): number => this.#nowMs;

  elapsed = (): number => this.#nowMs + this.#setBackMs;

  /** Changes the time of day, as a user may. No timer fires because of it. */
  setBack(ms: number): void {
    this.#nowMs -= ms;
    this.#setBackMs += ms;
    for (const timer of this.#timers) timer.atMs -= ms;
  }

  every(intervalMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + intervalMs, everyMs: intervalMs, fire: callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, everyMs: undefined, fire: callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const timer = { atMs: this.#nowMs + ms, everyMs: undefined, isSleep: true as const, fire: resolve };
      this.#timers.add(timer);
      signal.addEventListener("abort", () => {
        this.#timers.delete(timer);
        resolve();
      });
    });
  }

  /** How many sleeps are waiting, so that a test can advance past one that has really begun. */
  get sleeping(): number {
    return [...this.#timers].filter((timer) => timer.everyMs === undefined).length;
  }

  /** The same without time limits. */
  get sleeps(): number {
    return [...this.#timers].filter(({ isSleep }) => isSleep).length;
  }

  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#nowMs = due.atMs;
      if (due.everyMs === undefined) this.#timers.delete(due);
      else due.atMs += due.everyMs;
      due.fire();
    }
    this.#nowMs = endMs;
  }
}
