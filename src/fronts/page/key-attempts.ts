import type { Clock } from "../../clock.js";
import { GatewayError } from "../../turn/error.js";

const MAX_WRONG = 10;
const SPAN_MS = 60_000;
/** Beyond this number the oldest is forgotten. */
const MAX_ADDRESSES = 1_000;

interface WrongKeys {
  readonly sinceMs: number;
  count: number;
}

/**
 * Bounds how many wrong keys are looked at, so that nobody finds the right one by trying. Each address has its own count, or anybody
 * on the network could keep the owner out. Links need no such limit: they are random.
 */
export class KeyAttempts {
  readonly #clock: Pick<Clock, "elapsed">;
  /** By address, the oldest first. */
  readonly #wrong = new Map<string, WrongKeys>();

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  /** @throws {GatewayError} `rate_limit_exceeded`, if there were too many wrong keys from this address in the last minute. */
  check(address: string): void {
    const { sinceMs, count } = this.#recent(address);
    if (count < MAX_WRONG) return;
    throw new GatewayError(
      "rate_limit_exceeded",
      "Too many wrong keys came from this address in the last minute. Wait a minute, or open the page with: curlew dashboard",
      { retryAfterMs: sinceMs + SPAN_MS - this.#clock.elapsed(), isOwnRefusal: true },
    );
  }

  countWrong(address: string): void {
    const recent = this.#recent(address);
    recent.count++;
    this.#wrong.set(address, recent);
    for (const oldest of this.#wrong.keys()) {
      if (this.#wrong.size <= MAX_ADDRESSES) break;
      this.#wrong.delete(oldest);
    }
  }

  #recent(address: string): WrongKeys {
    const nowMs = this.#clock.elapsed();
    const known = this.#wrong.get(address);
    if (known !== undefined && nowMs - known.sinceMs < SPAN_MS) return known;
    this.#wrong.delete(address); // keeps the newest last
    return { sinceMs: nowMs, count: 0 };
  }
}
