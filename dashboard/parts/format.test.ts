import { describe, expect, it } from "vitest";
import { ago, dollars, duration, percent, shortCount, some } from "./format.js";

describe("amounts in few characters", () => {
  it.each([
    [0, "0"],
    [950, "950"],
    [9_999, "9,999"],
    [12_345, "12.3k"],
    [123_456, "123k"],
    [4_561_000, "4.56M"],
    [45_610_000, "45.6M"],
    [1_200_000_000, "1.20B"],
  ])("%d is %s", (count, text) => {
    expect(shortCount(count)).toBe(text);
  });

  it.each([
    [0, "0%"],
    [0.004, "0.4%"],
    [0.973, "97%"],
    [1.12, "112%"],
  ])("a share of %d is %s", (share, text) => {
    expect(percent(share)).toBe(text);
  });

  it.each([
    [0, "$0.00"],
    [0.0042, "$0.0042"],
    [4.1, "$4.10"],
    [1_234.5, "$1,234.50"],
  ])("%d dollars are %s", (amount, text) => {
    expect(dollars(amount)).toBe(text);
  });

  it.each([
    [340, "340 ms"],
    [1_249, "1.2 s"],
    [42_000, "42 s"],
    [185_000, "3 min 5 s"],
    [7_800_000, "2 h 10 min"],
  ])("%d ms are %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it.each([
    [3_000, "just now"],
    [42_500, "42 s ago"],
    [330_000, "5 min ago"],
    [2 * 3_600_000, "2 h ago"],
    [30 * 3_600_000, "a day ago"],
    [80 * 3_600_000, "3 days ago"],
  ])("%d ms before now is %s", (ms, text) => {
    expect(ago(0, ms)).toBe(text);
  });

  it("counts one thing as one", () => {
    expect([some(1, "request"), some(2, "request"), some(1_000, "retry", "retries")]).toEqual([
      "1 request",
      "2 requests",
      "1,000 retries",
    ]);
  });
});
