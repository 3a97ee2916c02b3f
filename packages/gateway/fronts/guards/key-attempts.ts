import { hash } from "node:crypto";
import type { Clock } from "../../system/clock.js";
import { BoundedMap } from "../../turn/bounded-map.js";
import { GatewayError } from "../../turn/error.js";

const MAX_WRONG = 10;
const SPAN_MS = 60_000;
/** Beyond this number the oldest is evicted. */
const MAX_ADDRESSES = 1_000;

interface Tried {
  readonly sinceMs: number;
  /** The hashes of wrong keys: a client that repeats an old key is not guessing. */
  readonly keys: Set<string>;
  /** Whether the gateway's own key came from there: then guesses from the same address must not lock its holder out. */
  isProven: boolean;
}

/**
 * Limits wrong keys, against brute force on the gateway's own key. Each address has its own count; otherwise any machine on the
 * network could lock the owner out. Links and named keys need no such limit: they are random.
 */
export class KeyAttempts {
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #tried = new BoundedMap<string, Tried>(MAX_ADDRESSES);

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  /** @throws {GatewayError} `rate_limit_exceeded`, if there were too many wrong keys from this address in the last minute. */
  check(address: string, otherwise: string): void {
    const { sinceMs, keys } = this.#recent(address);
    if (keys.size < MAX_WRONG) return;
    throw new GatewayError(
      "rate_limit_exceeded",
      `Too many wrong keys came from this address in the last minute. Wait a minute, or ${otherwise}`,
      { retryAfterMs: sinceMs + SPAN_MS - this.#clock.elapsed(), isOwnRefusal: true },
    );
  }

  countWrong(address: string, key: string): void {
    const { keys } = this.#recent(address);
    if (keys.size < MAX_WRONG) keys.add(hash("sha256", key, "base64url"));
  }

  /** Whether a client at this address may use the gateway's own key, which it has sent. */
  admits(address: string): boolean {
    const tried = this.#recent(address);
    tried.isProven ||= tried.keys.size < MAX_WRONG;
    return tried.isProven;
  }

  #recent(address: string): Tried {
    const nowMs = this.#clock.elapsed();
    const known = this.#tried.get(address);
    if (known !== undefined && nowMs - known.sinceMs < SPAN_MS) return known;
    const recent = { sinceMs: nowMs, keys: new Set<string>(), isProven: known?.isProven === true };
    this.#tried.set(address, recent);
    return recent;
  }
}
