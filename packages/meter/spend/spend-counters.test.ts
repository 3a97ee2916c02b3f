import { afterEach, describe, expect, it, vi } from "vitest";
import { boundsOf, Windows } from "./spend-counters.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

const HOUR_MS = 3_600_000;

describe("the night when clocks go back", () => {
  it.each([
    ["the first", 0],
    ["the second", 1],
  ])("counts in each of the two equal hours: %s", (_, hour) => {
    vi.stubEnv("TZ", "Europe/Berlin");
    const startMs = Date.UTC(2026, 9, 25, hour);
    const nowMs = startMs + HOUR_MS / 2;
    expect(new Date(nowMs).getHours()).toBe(2);
    expect(boundsOf("hour", nowMs)).toEqual({ startMs, endMs: startMs + HOUR_MS });
    const windows = new Windows();
    windows.in("hour", nowMs).tokens = 5;
    expect(windows.in("hour", nowMs + 1).tokens).toBe(5);
  });
});

it("ends a day without a midnight of its own at the next midnight", () => {
  vi.stubEnv("TZ", "America/Santiago");
  const noon = Date.UTC(2026, 8, 6, 16);
  expect(new Date(boundsOf("day", noon).startMs).getHours()).toBe(1);
  expect(boundsOf("day", noon)).toEqual({ startMs: Date.UTC(2026, 8, 6, 4), endMs: Date.UTC(2026, 8, 7, 3) });
});
