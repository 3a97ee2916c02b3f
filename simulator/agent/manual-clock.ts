import type { Clock } from "../clock.js";

/** For tests: time that passes only when told to. */
export class ManualClock implements Clock {
  #now = 0;
  #timers: { at: number; callback: () => void }[] = [];

  /** How many callbacks are still to come. */
  get waiting(): number {
    return this.#timers.length;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = until;
  }
}
