/** Thrown when the check of one answer takes more work than is allowed. */
export class TooManySteps extends Error {}

/** Counts the work on one answer, so that the check stops at the same step however busy the machine is. */
export class Steps {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  /** @throws TooManySteps when the allowance is used up */
  spend(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooManySteps();
  }
}
