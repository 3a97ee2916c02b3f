import type { Clock } from "../../../clock.js";

/**
 * The last checkpoint follows the end of a turn within milliseconds, but under load one came after more than a second
 * (docs/protocol/live-behaviour.md). Without it the next turn has to resend the whole conversation, so waiting is worth it, up
 * to what a reader tolerates.
 */
const CHECKPOINT_GRACE_MS = 1_500;
/** The end of the stream follows the last checkpoint at once or never. Waiting for it saves a reset. */
const END_GRACE_MS = 250;

interface EndWatchDeps {
  readonly clock: Clock;
  /** Called when the server has not ended the stream in time. */
  readonly onOverdue: () => void;
}

/** Some servers leave the stream open after the end of a turn. The answer is complete then, so we wait only briefly for more. */
export class EndWatch {
  readonly #deps: EndWatchDeps;
  #stage: "running" | "ended" | "settled" = "running";
  #stopTimer: () => void = () => {};

  constructor(deps: EndWatchDeps) {
    this.#deps = deps;
  }

  /** Called when the turn has ended, with or without its last checkpoint, and any number of times. */
  onTurnEnded(isSettled: boolean): void {
    const stage = isSettled ? "settled" : "ended";
    if (this.#stage === stage || this.#stage === "settled") return;
    this.#stage = stage;
    this.wait();
  }

  /** Starts the wait from now. */
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
