import type { Swept } from "../store.js";
import type { KeptCheckpoints } from "./kept-checkpoints.js";
import { type SweepDeps, SweepPass } from "./sweep-pass.js";

/** While there is too much, a sweep begins whenever this part of the limit has been written or refused since the last one. */
const sweptPart = 1 / 32;
/** Between two slices while there is no hurry, so that a sweep takes no more than a part of the time. */
const restBetweenSlicesMs = 10;

interface SweeperDeps extends Omit<SweepDeps, "nowMs"> {
  readonly now: () => number;
}

/** Sweeps a store slice by slice, the sooner the fuller it is, and tells whether it has room. */
export class Sweeper {
  readonly #deps: SweeperDeps;
  #pass: SweepPass | undefined;
  /** Set while a slice is to come; calls it off. */
  #callOffSlice: (() => void) | undefined;
  #isSliceUrgent = false;
  #isClosed = false;
  /** Since the last sweep began. */
  #askedBytes = 0;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
  }

  /** While a sweep is under way: what has to be told of checkpoints that come and go. */
  get watching(): KeptCheckpoints | undefined {
    return this.#pass?.checkpoints;
  }

  sweep(nowMs: number): Swept {
    if (this.#pass === undefined) this.#askedBytes = 0;
    this.#pass ??= new SweepPass({ ...this.#deps, nowMs });
    const swept = this.#pass.slice();
    this.#callOffSlice?.();
    this.#callOffSlice = undefined;
    if (swept.isDone) this.#pass = undefined;
    else this.#sweepSoon(this.#isOver(this.#deps.maxBytes));
    return swept;
  }

  /** Whether so many bytes more may be written; where there are too many already, a sweep begins. */
  hasRoom(bytes: number): boolean {
    const { tables, maxBytes, now } = this.#deps;
    if (tables.isFull() || bytes > maxBytes / 4) return false;
    this.#askedBytes += bytes;
    const isDue = this.#pass !== undefined || this.#askedBytes >= maxBytes * sweptPart;
    if (isDue && this.#isOver(maxBytes - bytes)) {
      // At most one slice in one turn of the event loop: the next is waited for.
      if (this.#isOver(maxBytes * 1.25 - bytes) && this.#callOffSlice === undefined) this.sweep(now());
      else this.#sweepSoon(true);
    }
    return !this.#isOver(maxBytes * 1.25 - bytes);
  }

  close(): void {
    this.#isClosed = true;
    this.#callOffSlice?.();
  }

  #sweepSoon(isUrgent: boolean): void {
    if (this.#isClosed || (this.#callOffSlice !== undefined && (!isUrgent || this.#isSliceUrgent))) return;
    this.#callOffSlice?.();
    this.#isSliceUrgent = isUrgent;
    const sweep = () => this.sweep(this.#deps.now());
    if (isUrgent) {
      const slice = setImmediate(sweep).unref();
      this.#callOffSlice = () => clearImmediate(slice);
    } else {
      const slice = setTimeout(sweep, restBetweenSlicesMs).unref();
      this.#callOffSlice = () => clearTimeout(slice);
    }
  }

  #isOver(bytes: number): boolean {
    return this.#deps.ledger.bytes > bytes;
  }
}
