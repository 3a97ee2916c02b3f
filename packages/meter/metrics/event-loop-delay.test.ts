import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect, it } from "vitest";
import { ManualClock } from "../../../testing/manual-clock.js";
import { EventLoopDelay } from "./metrics.js";

/** Blocks the event loop. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it("is measured between two readings, and not before the first", async () => {
  const delay = new EventLoopDelay(new ManualClock());
  expect(delay.read()).toEqual({ median: 0, p99: 0, max: 0 });
  // A second histogram with the same resolution shows the progress of the one under test.
  const pace = monitorEventLoopDelay({ resolution: 100 });
  pace.enable();
  await expect.poll(() => pace.count).toBeGreaterThan(1);
  const before = pace.count;
  block(350);
  await expect.poll(() => pace.count).toBeGreaterThan(before);
  pace.disable();
  const { median, p99, max } = delay.read();
  expect(max).toBeGreaterThan(0.2);
  expect(p99).toBeLessThanOrEqual(max);
  expect(median).toBeLessThanOrEqual(p99);
  delay.stop();
});

it("stops measuring when it has not been read for a while", () => {
  const clock = new ManualClock();
  const delay = new EventLoopDelay(clock);
  delay.read();
  delay.read();
  expect(clock.sleeping).toBe(1);
  clock.advance(5 * 60_000);
  expect(clock.sleeping).toBe(0);
  expect(delay.read()).toEqual({ median: 0, p99: 0, max: 0 });
  delay.stop();
  expect(clock.sleeping).toBe(0);
});
