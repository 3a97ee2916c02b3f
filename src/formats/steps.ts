/** More work than is done for one answer. */
export class TooManySteps extends Error {}

/** Counts the work on one answer, so that it ends at the same place however busy the machine is. */
export class Steps {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  spend(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooManySteps();
  }
}
