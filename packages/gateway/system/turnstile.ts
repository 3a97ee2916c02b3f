/** A semaphore: runs at most `max` pieces of work at a time. The others wait in order. */
export class Turnstile {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(max: number) {
    this.#max = max;
  }

  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#inside < this.#max) this.#inside++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#inside--;
      else next(); // the next one takes over the slot
    }
  }
}

/** The work as a function that does it once for all who ask while it is being done. */
export function inFlight<Args extends unknown[], Result>(
  work: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  let pending: Promise<Result> | undefined;
  return (...args) => {
    pending ??= work(...args).finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
