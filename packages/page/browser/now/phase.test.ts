import { describe, expect, it } from "vitest";
import { sampleLive } from "../../../../testing/page/sample-live.js";
import { elapsed, leaseLeft, phaseOf, phaseShares } from "./phase.js";

const request = sampleLive({ startedMs: 1_000 });

describe("the phase of a request", () => {
  it.each([
    [{}, "planning"],
    [{ plannedMs: 1_100 }, "waiting"],
    [{ plannedMs: 1_100, openedMs: 1_200 }, "waiting"],
    [{ plannedMs: 1_100, openedMs: 1_200, firstByteMs: 1_400 }, "streaming"],
  ])("after %j is %s", (times, phase) => {
    expect(phaseOf({ ...request, ...times })).toBe(phase);
  });

  it("has shares of the time so far", () => {
    const streaming = { ...request, plannedMs: 1_100, openedMs: 1_200, firstByteMs: 1_500 };
    expect(phaseShares(streaming, 2_000)).toEqual({ planning: 0.1, waiting: 0.4, streaming: 0.5 });
  });

  it("has shares that add up, whatever the clocks say", () => {
    for (const nowMs of [0, 1_000, 1_050, 5_000]) {
      const { planning, waiting, streaming } = phaseShares({ ...request, plannedMs: 900, firstByteMs: 4_000 }, nowMs);
      expect(planning + waiting + streaming).toBeCloseTo(1);
      expect(Math.min(planning, waiting, streaming)).toBeGreaterThanOrEqual(0);
    }
  });
});

it.each([
  [900, "0 s"],
  [7_900, "6 s"],
  [66_000, "1 min 5 s"],
])("at %d ms, shows %s elapsed", (nowMs, text) => {
  expect(elapsed(1_000, nowMs)).toBe(text);
});

it.each([
  [0, 1, "15 min left"],
  [450_000, 0.5, "7 min left"],
  [870_000, 1 / 30, "under a minute left"],
  [900_000, 0, "ends now"],
  [990_000, 0, "ends now"],
])("after %d ms of a lease, %d of it is left", (nowMs, share, words) => {
  expect(leaseLeft({ pausedMs: 0, leaseEndsMs: 900_000 }, nowMs)).toEqual({ share, words });
});

it("shows long leases in hours", () => {
  expect(leaseLeft({ pausedMs: 0, leaseEndsMs: 7_500_000 }, 0).words).toBe("2 h 5 min left");
});
