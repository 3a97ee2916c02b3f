import type { Clock } from "../system/clock.js";
import { GatewayError } from "../turn/error.js";

/** A guess: how long other turns take is unknown. */
const RETRY_AFTER_MS = 15_000;

export interface RunLimits {
  readonly maxRuns: number;
  readonly runWaitMs: number;
}

/**
 * Counts the runs that are open at Cursor, waiting ones included, and limits them where the conduct says so. Requests that find no
 * place wait in order. A request that brings results needs no place, because its run has kept its own.
 */
export class OpenRuns {
  peak = 0;
  readonly #clock: Clock;
  readonly #limits: RunLimits;
  /** Each of these takes over a place that has become free, or is refused. */
  readonly #waiting = new Set<(refusal?: GatewayError) => void>();
  #open = 0;
  #isClosed = false;

  constructor(clock: Clock, limits: RunLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get open(): number {
    return this.#open;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether a run may begin now. Waiting requests come first. */
  get hasRoom(): boolean {
    return this.#open < this.#limits.maxRuns && this.#waiting.size === 0;
  }

  begin(): void {
    this.#open++;
    if (this.#open > this.peak) this.peak = this.#open;
  }

  /** Gives the place to the first waiting request. A property, so that it can be passed as a callback. */
  readonly end = (): void => {
    const [first] = this.#waiting;
    if (first === undefined) this.#open--;
    else first();
  };

  /** Begins a run as soon as there is room. @throws GatewayError `rate_limit_exceeded` (too late), `canceled`, `shutting_down` */
  beginLater(signal: AbortSignal): Promise<void> {
    const { runWaitMs } = this.#limits;
    return new Promise<void>((resolve, reject) => {
      if (this.#isClosed) return reject(shuttingDown());
      if (signal.aborted) return reject(clientLeft());
      const settle = (refusal?: GatewayError) => {
        this.#waiting.delete(settle);
        stopTimer();
        signal.removeEventListener("abort", onAbort);
        if (refusal === undefined) resolve();
        else reject(refusal);
      };
      const onAbort = () => settle(clientLeft());
      const stopTimer = this.#clock.after(runWaitMs, () => settle(this.#tooMany()));
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(settle);
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const settle of [...this.#waiting]) settle(shuttingDown());
  }

  #tooMany(): GatewayError {
    const { maxRuns, runWaitMs } = this.#limits;
    const text =
      `Curlew's conduct is set to careful, which allows ${maxRuns} runs at Cursor at once, including those that wait ` +
      `for tool results. No place became free within ${Math.round(runWaitMs / 1000)} s, so this request was not sent. ` +
      "Try again when another turn has ended.";
    return new GatewayError("rate_limit_exceeded", text, { retryAfterMs: RETRY_AFTER_MS, isOwnRefusal: true });
  }
}

export function clientLeft(): GatewayError {
  return new GatewayError("canceled", "The client left before the reply began.");
}

function shuttingDown(): GatewayError {
  return new GatewayError("shutting_down", "Curlew is stopping; try again in a moment.");
}
