import { describe, expect, it } from "vitest";
import { countTick, dollarTick, roundTicks } from "./ticks.js";

const counts = { mostSteps: 4, isWhole: true };
const amounts = { mostSteps: 4, isWhole: false };

describe("the lines of a plot", () => {
  it.each([
    [0, counts, [0]],
    [Number.NaN, counts, [0]],
    [1, counts, [0, 1]],
    [3, counts, [0, 1, 2, 3]],
    [9, counts, [0, 5, 10]],
    [10, counts, [0, 5, 10]],
    [11, counts, [0, 5, 10, 15]],
    [4_874_140, counts, [0, 2_000_000, 4_000_000, 6_000_000]],
    [0.3, amounts, [0, 0.1, 0.2, 0.3]],
    [0.0042, amounts, [0, 0.002, 0.004, 0.006]],
    [6.41, amounts, [0, 2, 4, 6, 8]],
    [9.9, amounts, [0, 2.5, 5, 7.5, 10]],
  ])("up to %d are at round values", (max, options, ticks) => {
    expect(roundTicks(max, options)).toEqual(ticks);
  });

  it("cover every value, with at most the given number of steps", () => {
    for (let max = 1e-5; max < 1e13; max *= 1.37) {
      for (const mostSteps of [2, 3, 4, 5, 6]) {
        for (const isWhole of [true, false]) {
          const ticks = roundTicks(isWhole ? Math.ceil(max) : max, { mostSteps, isWhole });
          expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
          expect(ticks.length).toBeLessThanOrEqual(mostSteps + 1);
          expect(ticks.at(-2)).toBeLessThan(isWhole ? Math.ceil(max) : max);
          if (isWhole) expect(ticks.every(Number.isInteger)).toBe(true);
        }
      }
    }
  });

  it("have short names", () => {
    expect([0, 1, 500, 1_000, 1_500, 20_000, 2_500_000, 1e9, 5e15].map(countTick)).toEqual([
      "0",
      "1",
      "500",
      "1k",
      "1.5k",
      "20k",
      "2.5M",
      "1B",
      "5000T",
    ]);
    expect([dollarTick(0, 2), dollarTick(1_500, 500), dollarTick(5, 2.5), dollarTick(0.1, 0.1)]).toEqual([
      "$0",
      "$1,500",
      "$5.00",
      "$0.10",
    ]);
    expect(dollarTick(0.005, 0.0025)).toBe("$0.0050");
  });
});
