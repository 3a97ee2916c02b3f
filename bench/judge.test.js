import { describe, expect, it } from "vitest";
import { judge, renewLimits } from "./judge.js";

const limits = { "short-chat allocatedBytes": { measured: 100, margin: 0.1 } };
const passes = (figures) => judge(figures, limits).map((verdict) => verdict.passes);

describe("judge", () => {
  it("lets a figure be as large as its margin says", () => {
    expect(passes({ "short-chat allocatedBytes": 109 })).toEqual([true]);
    expect(passes({ "short-chat allocatedBytes": 111 })).toEqual([false]);
  });

  it("fails for a limit without a figure, and for a figure without a limit", () => {
    expect(passes({})).toEqual([false]);
    expect(passes({ "short-chat allocatedBytes": 90, "new promises": 1 })).toEqual([true, false]);
  });

  it("fails for a figure that is not a number", () => {
    expect(passes({ "short-chat allocatedBytes": Number.NaN })).toEqual([false]);
  });
});

describe("renewLimits", () => {
  it("keeps the margins that are there and gives others by what is measured", () => {
    expect(renewLimits({ "short-chat allocatedBytes": 81.23456, "growth warm cpuExponent": 0.9 }, limits)).toEqual({
      "short-chat allocatedBytes": { measured: 81.23, margin: 0.1 },
      "growth warm cpuExponent": { measured: 1, margin: 0.5 },
    });
  });
});
