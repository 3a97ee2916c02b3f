import type { Clock } from "../../server/clock.js";

/** The time limit for an answer that the run needs to continue. */
export class Patience {
  readonly #clock: Clock;
  readonly #limitMs: () => number;
  #heardAt: number;

  constructor(clock: Clock, limitMs: () => number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#heardAt = clock.now();
  }

  /** Called for every message of the client, heartbeats included. */
  hear(): void {
    this.#heardAt = this.#clock.now();
  }

  /**
   * Calls `onLost` when the limit has passed since now or, where a person or a slow tool may be at work, since the client's
   * last message. The returned function cancels it.
   */
  watch(countsFrom: "now" | "last-heard", onLost: (limitMs: number) => void): () => void {
    const startedAt = this.#clock.now();
    let callOff = () => {};
    const arm = () => {
      const limitMs = this.#limitMs();
      const since = countsFrom === "now" ? startedAt : Math.max(startedAt, this.#heardAt);
      const leftMs = since + limitMs - this.#clock.now();
      if (leftMs <= 0) onLost(limitMs);
      else callOff = this.#clock.after(leftMs, arm);
    };
    arm();
    return () => callOff();
  }
}
