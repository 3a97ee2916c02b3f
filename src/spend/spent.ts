import type { Tokens } from "../ledger/index.js";
import type { Unit } from "./limits.js";
import type { Bounds } from "./windows.js";

/** What was taken in one window of time, or by one conversation. */
export class Spent implements Record<Unit, number> {
  requests = 0;
  tokens = 0;
  /** Of the turns whose price is known. */
  dollars = 0;
  /** When this starts again from nothing; undefined = never. */
  readonly endsMs: number | undefined;
  /** The ceilings that were reported here already. */
  #reported: Set<string> | undefined;

  constructor(endsMs?: number) {
    this.endsMs = endsMs;
  }

  countRequest(by: 1 | -1): void {
    this.requests = Math.max(0, this.requests + by); // the one to take back may have been counted in the window before
  }

  take(tokens: number, dollars: number): void {
    // An estimate that was too high is taken back, perhaps in the window after its own.
    this.tokens = Math.max(0, this.tokens + tokens);
    this.dollars = Math.max(0, this.dollars + dollars);
  }

  /** Whether this is the first report about a ceiling here. */
  reportOnce(ceiling: string): boolean {
    this.#reported ??= new Set();
    if (this.#reported.has(ceiling)) return false;
    this.#reported.add(ceiling);
    return true;
  }
}

/** What was taken in the current one of windows that follow each other. */
export class WindowSpent {
  readonly #boundsOf: (nowMs: number) => Bounds;
  #bounds: Bounds = { startMs: 0, endMs: 0 };
  #spent = new Spent();

  constructor(boundsOf: (nowMs: number) => Bounds) {
    this.#boundsOf = boundsOf;
  }

  at(nowMs: number): Spent {
    // A clock that was set back begins another window, too.
    if (nowMs < this.#bounds.startMs || nowMs >= this.#bounds.endMs) {
      this.#bounds = this.#boundsOf(nowMs);
      this.#spent = new Spent(this.#bounds.endMs);
    }
    return this.#spent;
  }
}

export function sumOf({ input, output }: Pick<Tokens, "input" | "output">): number {
  return input + output;
}
