import type { Clock } from "../clock.js";

interface RefresherDeps {
  readonly clock: Pick<Clock, "elapsed" | "after">;
  /** The work begins no sooner than this after somebody has asked for it, so that what comes at once is done together. */
  readonly delayMs: number;
  /** It begins no more often than this. */
  readonly everyMs: number;
  readonly work: () => void | Promise<void>;
  readonly onProblem: (problem: unknown) => void;
}

/** Does some work when it is asked to, however often that is: soon, seldom enough, and always once more after the last time. */
export class Refresher {
  readonly #deps: RefresherDeps;
  #isWanted = false;
  #isWorking = false;
  #isStopped = false;
  #begunMs = Number.NEGATIVE_INFINITY;
  #stopTimer: (() => void) | undefined;

  constructor(deps: RefresherDeps) {
    this.#deps = deps;
  }

  ask(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#plan();
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer?.();
  }

  #plan(): void {
    if (!this.#isWanted || this.#isWorking || this.#isStopped) return;
    const { clock, delayMs, everyMs } = this.#deps;
    const waitMs = Math.max(delayMs, this.#begunMs + everyMs - clock.elapsed());
    this.#stopTimer = clock.after(waitMs, () => void this.#work());
  }

  async #work(): Promise<void> {
    const { clock, work, onProblem } = this.#deps;
    this.#isWanted = false;
    this.#isWorking = true;
    this.#begunMs = clock.elapsed();
    try {
      await work();
    } catch (problem) {
      onProblem(problem);
    }
    this.#isWorking = false;
    this.#plan();
  }
}
