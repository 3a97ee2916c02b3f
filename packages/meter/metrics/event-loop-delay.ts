import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "@curlew/gateway/system/clock.js";

/** Node wakes up this often to measure, which takes 0.05 % of a core; with its default of 10 ms it is 0.4 %. */
const RESOLUTION_MS = 100;
/** Measuring stops after this long without a read: Prometheus' longest sensible interval is two minutes. */
const UNREAD_MS = 5 * 60_000;
const NANOSECONDS = 1e9;

/** Measures event loop delay, but only while the metrics are being read, so that an idle gateway stays idle. */
export class EventLoopDelay {
  readonly #clock: Pick<Clock, "after">;
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #cancelStop: (() => void) | undefined;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** The delays since the last read, in seconds; all 0 at the first. */
  read() {
    const histogram = this.#histogram;
    const isEmpty = this.#cancelStop === undefined || histogram.count === 0;
    this.#cancelStop?.();
    this.#cancelStop = this.#clock.after(UNREAD_MS, () => this.stop());
    const seconds = (nanoseconds: number) =>
      isEmpty ? 0 : Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1_000);
    const delays = {
      median: seconds(histogram.percentile(50)),
      p99: seconds(histogram.percentile(99)),
      max: seconds(histogram.max),
    };
    histogram.reset();
    histogram.enable();
    return delays;
  }

  stop(): void {
    this.#cancelStop?.();
    this.#cancelStop = undefined;
    this.#histogram.disable();
  }
}
