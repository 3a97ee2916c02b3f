/** Runs something when told to, but never twice within `everyMs`: what is asked for too soon is done once, later. */
export class AtMostEvery {
  readonly #everyMs: number;
  readonly #run: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAskedAgain = false;

  constructor(everyMs: number, run: () => void) {
    this.#everyMs = everyMs;
    this.#run = run;
  }

  ask(): void {
    if (this.#timer !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#isAskedAgain = false;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isAskedAgain) this.ask();
    }, this.#everyMs);
    this.#run();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isAskedAgain = false;
  }
}
