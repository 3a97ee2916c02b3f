import type { Clock } from "../../clock.js";
import { GatewayError } from "../../turn/error.js";

const MAX_WRONG = 10;
const SPAN_MS = 60_000;

/** Bounds how many wrong keys are looked at, so that nobody finds the right one by trying. Links need no such limit: they are random. */
export class KeyAttempts {
  readonly #clock: Pick<Clock, "elapsed">;
  #wrong = 0;
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  /** @throws {GatewayError} `rate_limit_exceeded`, if there were too many wrong keys in the last minute. */
  check(): void {
    const passedMs = this.#clock.elapsed() - this.#sinceMs;
    if (passedMs >= SPAN_MS || this.#wrong < MAX_WRONG) return;
    throw new GatewayError(
      "rate_limit_exceeded",
      "Too many wrong keys came in the last minute. Wait a minute, or open the page with: curlew dashboard",
      { retryAfterMs: SPAN_MS - passedMs, isOwnRefusal: true },
    );
  }

  countWrong(): void {
    const nowMs = this.#clock.elapsed();
    if (nowMs - this.#sinceMs >= SPAN_MS) {
      this.#sinceMs = nowMs;
      this.#wrong = 0;
    }
    this.#wrong++;
  }
}
