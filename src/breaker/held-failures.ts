import type { GatewayError } from "../turn/error.js";

/** After the first failure; each further one doubles it. */
const FIRST_HOLD_MS = 2_000;
/** No person waits longer than this because of what programs did. */
const LONGEST_HOLD_MS = 30_000;
/** So long after the last failure, the next is a first one again. */
const MEMORY_MS = 60_000;
/** Beyond it, the one that failed longest ago is let go. Each holds one message of an error. */
const MAX_HELD = 1_000;

/** A failure that is not asked for again until its time is over. */
export interface HeldFailure {
  readonly error: GatewayError;
  readonly failures: number;
  readonly failedMs: number;
  readonly holdMs: number;
  /** Whether an attempt is under way that will tell whether it still fails. */
  isOnTrial: boolean;
}

/** Failures by key, in the order in which they happened. */
export class HeldFailures {
  readonly #now: () => number;
  readonly #held = new Map<string, HeldFailure>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** So that nobody needs to work out a key in vain. */
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

  /** Attempts that were under way at the same time have failed together: they count once. */
  add(key: string, error: GatewayError, startedMs: number): HeldFailure {
    const last = this.find(key);
    if (last !== undefined && startedMs < last.failedMs) return last;
    const failures = (last?.failures ?? 0) + 1;
    const askedMs = Math.max(FIRST_HOLD_MS * 2 ** (failures - 1), error.retryAfterMs ?? 0);
    const holdMs = Math.min(askedMs, LONGEST_HOLD_MS);
    // What caused it may be large, and is in the log.
    const held = { error: error.with({ cause: undefined }), failures, failedMs: this.#now(), holdMs, isOnTrial: false };
    this.#held.delete(key); // the newest comes last
    this.#held.set(key, held);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= MAX_HELD) break;
      this.#held.delete(oldest);
    }
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

/** How long it is still held; 0 when its time is over. A clock that was put back holds nothing for longer than was meant. */
export function leftOf({ failedMs, holdMs }: HeldFailure, nowMs: number): number {
  const agoMs = nowMs - failedMs;
  return agoMs < 0 || agoMs >= holdMs ? 0 : holdMs - agoMs;
}
