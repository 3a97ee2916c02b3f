import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AtMostEvery } from "./at-most-every.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("runs at once, and whatever comes too soon once more later", () => {
  const atMs: number[] = [];
  const startedMs = Date.now();
  const often = new AtMostEvery(3_000, () => atMs.push(Date.now() - startedMs));
  for (let ms = 0; ms < 4_000; ms += 100) {
    often.ask();
    vi.advanceTimersByTime(100);
  }
  vi.advanceTimersByTime(60_000);
  expect(atMs).toEqual([0, 3_000, 6_000]);
  often.ask();
  expect(atMs).toHaveLength(4);
});

it("does nothing more after its end", () => {
  const run = vi.fn();
  const often = new AtMostEvery(3_000, run);
  often.ask();
  often.ask();
  often.stop();
  vi.advanceTimersByTime(60_000);
  expect(run).toHaveBeenCalledOnce();
});
