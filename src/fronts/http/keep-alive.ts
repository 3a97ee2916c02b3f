import type { Clock } from "../../clock.js";

/** A stream that must not be silent for long. */
export interface Beating {
  /** The time of its last byte. */
  readonly lastMs: number;
  beat(): void;
}

/** One timer for all streams. Each stream that was silent for the whole time sends something. */
export class KeepAlive {
  readonly #silenceMs: number;
  readonly #clock: Clock;
  readonly #all = new Set<Beating>();
  #stop: (() => void) | undefined;

  constructor({ silenceMs, clock }: { silenceMs: number; clock: Clock }) {
    this.#silenceMs = silenceMs;
    this.#clock = clock;
  }

  /** Watches a stream until the returned function is called. The timer runs only while there is a stream to watch. */
  add(beating: Beating): () => void {
    this.#all.add(beating);
    this.#stop ??= this.#clock.every(Math.max(100, this.#silenceMs / 15), () => this.#check());
    return () => {
      this.#all.delete(beating);
      if (this.#all.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  }

  #check(): void {
    const nowMs = this.#clock.now();
    for (const each of this.#all) if (nowMs - each.lastMs >= this.#silenceMs) each.beat();
  }
}
