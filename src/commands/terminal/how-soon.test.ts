import { describe, expect, it } from "vitest";
import { howSoon } from "./how-soon.js";

const now = Date.UTC(2026, 10, 16, 12);
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe("the end of a credential in words", () => {
  it.each([
    [90 * day, "in 90 days (2027-02-14)"],
    [2 * day, "in 2 days (2026-11-18)"],
    [47 * hour, "in 47 hours"],
    [119 * minute, "in 119 minutes"],
    [minute, "in 1 minute"],
    [59_000, "now"],
    [-59_000, "now"],
    [-3 * hour, "3 hours ago"],
    [-9 * day, "9 days ago (2026-11-07)"],
  ])("%d ms away is %s", (awayMs, text) => {
    expect(howSoon(now + awayMs, now)).toBe(text);
  });
});
