const MINUTE_MS = 60_000;
/** Beyond this number one that asks for nothing now is forgotten for each that comes. */
const MAX_RATES = 2_000;
/** How many of the oldest are looked at for that. */
const LOOKS = 8;

/** How much somebody asks for. */
export interface Rate {
  open: number;
  minuteStartMs: number;
  inMinute: number;
}

/**
 * The rates of those who have asked lately. Names are the clients' own, so there may be any number of them: only as many are kept
 * as are useful, and finding one takes the same time however many there are.
 */
export class RecentRates {
  /** Those that were found or looked at last are at the end. */
  readonly #rates = new Map<string, Rate>();

  get size(): number {
    return this.#rates.size;
  }

  of(name: string, nowMs: number): Rate {
    const known = this.#rates.get(name);
    if (known === undefined) return this.#add(name, { open: 0, minuteStartMs: nowMs, inMinute: 0 });
    const agoMs = nowMs - known.minuteStartMs;
    if (agoMs >= MINUTE_MS || agoMs < 0) {
      known.minuteStartMs = nowMs;
      known.inMinute = 0;
      this.#moveToEnd(name, known);
    }
    return known;
  }

  #add(name: string, rate: Rate): Rate {
    if (this.#rates.size >= MAX_RATES) this.#forgetOne();
    this.#rates.set(name, rate);
    return rate;
  }

  /** Where all that are looked at have requests open there is one more: there are never more of those than open requests. */
  #forgetOne(): void {
    let looks = 0;
    for (const [name, rate] of this.#rates) {
      if (rate.open === 0) {
        this.#rates.delete(name);
        return;
      }
      this.#moveToEnd(name, rate);
      if (++looks === LOOKS) return;
    }
  }

  #moveToEnd(name: string, rate: Rate): void {
    this.#rates.delete(name);
    this.#rates.set(name, rate);
  }
}
