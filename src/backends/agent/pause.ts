import type { Clock } from "../../clock.js";

interface PauseDeps {
  clock: Clock;
  /** No further call for so long means that all have come. */
  quietMs: number;
  onQuiet: () => void;
}

/**
 * Knows when all calls of a parallel group have come: as many were asked as the server announced and as its staged
 * checkpoint waits for, or, where it gives no such sign, none came for a while.
 */
export class PauseWatch {
  readonly #deps: PauseDeps;
  #announced = 0;
  #asked = 0;
  /** How many calls the staged checkpoint names; undefined before it has come. */
  #staged: number | undefined;
  #stopTimer: () => void = () => {};

  constructor(deps: PauseDeps) {
    this.#deps = deps;
  }

  announce(): void {
    this.#announced++;
    this.wait();
  }

  ask(): void {
    this.#asked++;
    this.wait();
  }

  stage(pending: number): void {
    this.#staged = pending;
  }

  /** Counts the quiet from now on. */
  wait(): void {
    const { clock, quietMs, onQuiet } = this.#deps;
    this.#stopTimer();
    this.#stopTimer = clock.after(quietMs, onQuiet);
  }

  get isComplete(): boolean {
    return this.#staged !== undefined && this.#asked >= this.#announced && this.#asked >= this.#staged;
  }

  /** The group is closed; the next call begins another. */
  reset(): void {
    this.#stopTimer();
    this.#announced = 0;
    this.#asked = 0;
    this.#staged = undefined;
  }
}
