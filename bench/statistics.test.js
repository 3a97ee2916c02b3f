import { describe, expect, it } from "vitest";
import { growthExponent, median, ratioSpread, spread } from "./statistics.js";

describe("median", () => {
  it("is the middle one, or the mean of the two in the middle", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 6])).toBe(5.5);
  });

  it("leaves the list as it was", () => {
    const list = [3, 1, 2];
    median(list);
    expect(list).toEqual([3, 1, 2]);
  });
});

describe("spread", () => {
  it("skips what could not be measured", () => {
    expect(spread([4, Number.NaN, 2, undefined])).toEqual({ median: 3, min: 2, max: 4 });
    expect(spread([Number.NaN])).toBeUndefined();
  });
});

describe("ratioSpread", () => {
  it("divides within each round", () => {
    expect(ratioSpread([2, 30, 12], [1, 10, 3])).toEqual({ median: 3, min: 2, max: 4 });
  });
});

describe("growthExponent", () => {
  it.each([
    ["nothing", 0, 1],
    ["linear", 1, 10],
    ["quadratic", 2, 100],
  ])("recognises %s growth", (_name, exponent, cost) => {
    expect(growthExponent(200, 1, 2_000, cost)).toBeCloseTo(exponent);
  });
});
