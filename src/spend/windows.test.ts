import { afterEach, describe, expect, it, vi } from "vitest";
import { WindowSpent } from "./spent.js";
import { dayOf, hourOf } from "./windows.js";

afterEach(() => {
  vi.unstubAllEnvs();
});

const HOUR_MS = 3_600_000;

describe("the night when clocks go back", () => {
  it.each([
    ["the first", 0],
    ["the second", 1],
  ])("counts in the hour that comes twice: %s", (_, hour) => {
    vi.stubEnv("TZ", "Europe/Berlin");
    const startMs = Date.UTC(2026, 9, 25, hour);
    const nowMs = startMs + HOUR_MS / 2;
    expect(new Date(nowMs).getHours()).toBe(2);
    expect(hourOf(nowMs)).toEqual({ startMs, endMs: startMs + HOUR_MS });
    const window = new WindowSpent(hourOf);
    window.at(nowMs).take(5, 0);
    expect(window.at(nowMs + 1).tokens).toBe(5);
  });
});

it("ends a day whose midnight does not exist at the next midnight", () => {
  vi.stubEnv("TZ", "America/Santiago");
  const noon = Date.UTC(2026, 8, 6, 16);
  expect(new Date(dayOf(noon).startMs).getHours()).toBe(1);
  expect(dayOf(noon)).toEqual({ startMs: Date.UTC(2026, 8, 6, 4), endMs: Date.UTC(2026, 8, 7, 3) });
});
