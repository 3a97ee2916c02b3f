import type { Swept } from "../store.js";
import type { KeptCheckpoints } from "./kept-checkpoints.js";
import { type SweepDeps, SweepPass } from "./sweep-pass.js";

/** While the store is over its limit, a sweep begins whenever this share of the limit has been written or refused since the last one. */
const SWEEP_SHARE = 1 / 32;
/** The rest between two slices while there is no hurry, so that a sweep takes only a part of the time. */
const REST_BETWEEN_SLICES_MS = 10;
/** The rest while the disk is behind. What waits for it fills the memory, and each slice would add to it. */
const REST_BEHIND_MS = 50;

/** A store that did not change is swept this often all the same, because other processes may have changed it. */
const MAX_IDLE_MS = 60 * 60 * 1000;

interface SweeperDeps extends Omit<SweepDeps, "nowMs"> {
  readonly now: () => number;
}

/** Sweeps a store slice by slice, sooner the fuller it is, and knows whether the store has room. */
export class Sweeper {
  readonly #deps: SweeperDeps;
  #pass: SweepPass | undefined;
  /** Set while a slice is scheduled; cancels it. */
  #cancelSlice: (() => void) | undefined;
  #isSliceUrgent = false;
  #isClosed = false;
  /** Bytes that were to be written since the last sweep began. */
  #askedBytes = 0;
  /** Whether this process has changed anything since the last sweep began. */
  #hasChanged = true;
  /** A sweep before this moment would find nothing to do, unless something changes. */
  #idleUntilMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SweeperDeps) {
    this.#deps = deps;
  }

  /** Set while a sweep is under way. The store notifies it of checkpoints that come and go. */
  get watching(): KeptCheckpoints | undefined {
    return this.#pass?.checkpoints;
  }

  sweep(nowMs: number): Swept {
    if (this.#pass === undefined) {
      if (!this.#hasChanged && nowMs < this.#idleUntilMs && !this.#isOver(this.#deps.maxBytes)) return { isDone: true };
      this.#askedBytes = 0;
      this.#hasChanged = false;
    }
    this.#pass ??= new SweepPass({ ...this.#deps, nowMs });
    const swept = this.#pass.slice();
    this.#cancelSlice?.();
    this.#cancelSlice = undefined;
    if (swept.isDone) {
      this.#idleUntilMs = Math.min(this.#pass.dueMs(), nowMs + MAX_IDLE_MS);
      this.#pass = undefined;
    } else this.#sweepSoon(this.#isOver(this.#deps.maxBytes));
    return swept;
  }

  /** Notes that a sweep may find something to do. */
  noteChange(): void {
    this.#hasChanged = true;
  }

  /** Whether this many more bytes may be written, which counts as a change. Starts a sweep when there are too many already. */
  hasRoom(bytes: number): boolean {
    const { tables, maxBytes, now } = this.#deps;
    this.noteChange();
    if (tables.isFull() || bytes > maxBytes / 4) return false;
    this.#askedBytes += bytes;
    const isDue = this.#pass !== undefined || this.#askedBytes >= maxBytes * SWEEP_SHARE;
    if (isDue && this.#isOver(maxBytes - bytes)) {
      // At most one slice runs in one turn of the event loop.
      if (this.#isOver(maxBytes * 1.25 - bytes) && this.#cancelSlice === undefined) this.sweep(now());
      else this.#sweepSoon(true);
    }
    return !this.#isOver(maxBytes * 1.25 - bytes);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelSlice?.();
  }

  #sweepSoon(isUrgent: boolean): void {
    if (this.#isClosed || (this.#cancelSlice !== undefined && (!isUrgent || this.#isSliceUrgent))) return;
    this.#cancelSlice?.();
    this.#isSliceUrgent = isUrgent;
    if (isUrgent) {
      const slice = setImmediate(() => this.#scheduledSlice()).unref();
      this.#cancelSlice = () => clearImmediate(slice);
    } else this.#sliceAfter(REST_BETWEEN_SLICES_MS);
  }

  #sliceAfter(restMs: number): void {
    const slice = setTimeout(() => this.#scheduledSlice(), restMs).unref();
    this.#cancelSlice = () => clearTimeout(slice);
  }

  #scheduledSlice(): void {
    if (this.#deps.tables.isBehind()) this.#sliceAfter(REST_BEHIND_MS);
    else this.sweep(this.#deps.now());
  }

  #isOver(bytes: number): boolean {
    return this.#deps.ledger.bytes > bytes;
  }
}
