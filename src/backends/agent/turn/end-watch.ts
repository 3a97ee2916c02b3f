import type { Clock } from "../../../clock.js";

/**
 * The last checkpoint follows the end of a turn within milliseconds, but one that was slow under load has come after more than
 * a second. Without it the next turn would be told everything again, so it is worth waiting for, and a reader's patience is not.
 */
const CHECKPOINT_GRACE_MS = 1_500;
/** Behind the last checkpoint comes the end of the stream, at once or not at all. It saves a reset. */
const END_GRACE_MS = 250;

interface EndWatchDeps {
  readonly clock: Clock;
  /** The server has had its time. */
  readonly onOverdue: () => void;
}

/** Some servers leave the stream open behind the end of a turn. The answer is whole then, and nobody waits for more. */
export class EndWatch {
  readonly #deps: EndWatchDeps;
  #stage: "running" | "ended" | "settled" = "running";
  #stopTimer: () => void = () => {};

  constructor(deps: EndWatchDeps) {
    this.#deps = deps;
  }

  /** The turn has ended, with or without its last checkpoint. May be called any number of times. */
  onTurnEnded(isSettled: boolean): void {
    const stage = isSettled ? "settled" : "ended";
    if (this.#stage === stage || this.#stage === "settled") return;
    this.#stage = stage;
    this.wait();
  }

  /** Counts from now on. */
  wait(): void {
    const { clock, onOverdue } = this.#deps;
    this.#stopTimer();
    this.#stopTimer = clock.after(this.#stage === "settled" ? END_GRACE_MS : CHECKPOINT_GRACE_MS, onOverdue);
  }

  reset(): void {
    this.#stopTimer();
    this.#stage = "running";
  }
}
