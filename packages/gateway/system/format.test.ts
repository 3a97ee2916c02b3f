import { describe, expect, it } from "vitest";
import {
  ago,
  clockTime,
  contextText,
  dollars,
  duration,
  percent,
  shortCount,
  shortDate,
  some,
  wholeCount,
} from "./format.js";

describe("amounts in few characters", () => {
  it.each([
    [0, "0"],
    [950, "950"],
    [9_999, "9,999"],
    [12_345, "12.3k"],
    [99_949, "99.9k"],
    [99_950, "100k"],
    [123_456, "123k"],
    [999_499, "999k"],
    [999_500, "1.00M"],
    [4_561_000, "4.56M"],
    [45_610_000, "45.6M"],
    [999_999_999, "1.00B"],
    [1_200_000_000, "1.20B"],
    [2_500_000_000_000, "2.50T"],
    [1_500_000_000_000_000, "1,500T"],
    [-12_345, "-12.3k"],
  ])("%d is %s", (count, text) => {
    expect(shortCount(count)).toBe(text);
  });

  it.each([
    [0, "0%"],
    [0.00001, "<0.1%"],
    [0.004, "0.4%"],
    [0.006, "0.6%"],
    [0.00999, "1%"],
    [0.5, "50%"],
    [0.973, "97%"],
    [0.9901, "99%"],
    [0.996, "99.6%"],
    [0.99999, ">99.9%"],
    [1, "100%"],
    [1.12, "112%"],
  ])("a share of %d is %s", (share, text) => {
    expect(percent(share)).toBe(text);
  });

  it.each([
    [0, "$0.00"],
    [0.000000042, "<$0.0001"],
    [0.0042, "$0.0042"],
    [0.0099999, "$0.01"],
    [0.05, "$0.05"],
    [0.0831, "$0.083"],
    [0.0999, "$0.10"],
    [4.1, "$4.10"],
    [1_234.5, "$1,234.50"],
    [-0.5, "-$0.50"],
  ])("%d dollars are %s", (amount, text) => {
    expect(dollars(amount)).toBe(text);
  });

  it.each([
    [-5, "0 ms"],
    [340, "340 ms"],
    [999.6, "1.0 s"],
    [1_249, "1.2 s"],
    [9_960, "10 s"],
    [42_000, "42 s"],
    [59_600, "1 min"],
    [119_700, "2 min"],
    [185_000, "3 min 5 s"],
    [3_599_800, "1 h"],
    [7_800_000, "2 h 10 min"],
  ])("%d ms are %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it.each([
    [-3_000, "just now"],
    [3_000, "just now"],
    [42_500, "42 s ago"],
    [59_999, "59 s ago"],
    [330_000, "5 min ago"],
    [3_599_999, "59 min ago"],
    [2 * 3_600_000, "2 h ago"],
    [30 * 3_600_000, "a day ago"],
    [80 * 3_600_000, "3 days ago"],
  ])("%d ms before now is %s", (ms, text) => {
    expect(ago(0, ms)).toBe(text);
  });

  it("uses the singular for one", () => {
    expect([some(1, "request"), some(2, "request"), some(1_000, "retry", "retries")]).toEqual([
      "1 request",
      "2 requests",
      "1,000 retries",
    ]);
  });

  it("has no negative zero", () => {
    expect([wholeCount(-0.2), percent(-0)]).toEqual(["0", "0%"]);
  });

  it("shows local times", () => {
    const atMs = new Date(2026, 10, 6, 0, 5, 9).getTime();
    expect([clockTime(atMs), shortDate(atMs)]).toEqual(["00:05:09", "6 Nov, 00:05"]);
  });
});

it.each([
  [8_192, "8k"],
  [200_000, "200k"],
  [999_999, "1M"],
  [1_048_576, "1.05M"],
])("a context of %d tokens is %s", (tokens, text) => {
  expect(contextText(tokens)).toBe(text);
});
