import { BoundedMap } from "../../turn/bounded-map.js";
import type { GatewayError } from "../../turn/error.js";

/** No hold is longer, so that a user does not wait long for what a program did. */
const LONGEST_HOLD_MS = 30_000;
/** A failure this long after the last one counts as a first failure again. */
const MEMORY_MS = 60_000;
/** Beyond this number the oldest failure is evicted. Each holds the message of one error. */
const MAX_HELD = 1_000;

/** How often a request may fail before it is held, and for how long then. Each further failure doubles the time. */
export interface Patience {
  readonly freeFailures: number;
  readonly firstHoldMs: number;
}

/** A failure whose request does not go to Cursor again until its time is over. */
export interface HeldFailure {
  readonly error: GatewayError;
  readonly failures: number;
  readonly failedMs: number;
  /** 0 while the request is not held. */
  readonly holdMs: number;
  /** Whether an attempt is under way that will show whether the request still fails. */
  isOnTrial: boolean;
}

export class HeldFailures {
  readonly #now: () => number;
  readonly #held = new BoundedMap<string, HeldFailure>(MAX_HELD);

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Lets callers skip the computation of a key. */
  get isEmpty(): boolean {
    this.#forgetOld();
    return this.#held.size === 0;
  }

  find(key: string): HeldFailure | undefined {
    this.#forgetOld();
    return this.#held.get(key);
  }

  delete(key: string): void {
    this.#held.delete(key);
  }

  /** Attempts that were under way at the same time count as one failure. */
  add(key: string, error: GatewayError, startedMs: number, { freeFailures, firstHoldMs }: Patience): HeldFailure {
    const last = this.find(key);
    if (last !== undefined && startedMs < last.failedMs) return last;
    const failures = (last?.failures ?? 0) + 1;
    const doublings = failures - 1 - freeFailures;
    const askedMs = doublings < 0 ? 0 : Math.max(firstHoldMs * 2 ** doublings, error.retryAfterMs ?? 0);
    const holdMs = Math.min(askedMs, LONGEST_HOLD_MS);
    // The cause may be large, and it is in the log.
    const held = { error: error.with({ cause: undefined }), failures, failedMs: this.#now(), holdMs, isOnTrial: false };
    this.#held.set(key, held);
    return held;
  }

  #forgetOld(): void {
    const nowMs = this.#now();
    for (const [key, { failedMs }] of this.#held) {
      if (Math.abs(nowMs - failedMs) < MEMORY_MS) break;
      this.#held.delete(key);
    }
  }
}

/** The remaining wait; 0 when the time is over. A clock that was set back does not make the wait longer. */
export function leftOf({ failedMs, holdMs }: HeldFailure, nowMs: number): number {
  const agoMs = nowMs - failedMs;
  return agoMs < 0 || agoMs >= holdMs ? 0 : holdMs - agoMs;
}
