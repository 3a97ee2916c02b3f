import { describe, expect, it, onTestFinished, vi } from "vitest";
import { sampleEntry, sampleTokens } from "../../../testing/ledger/sample-entries.js";
import { continuityText, dayStart, dayText, isFailure, midnight, Spans, turnTokens } from "./entry.js";

it.each([
  [{ continuity: "warm" }, "warm"],
  [{ continuity: "resumed" }, "resumed"],
  [{ continuity: "warm:settings-changed", cacheMiss: "tools" }, "warm: tools changed"],
  [{ continuity: "cold:edited", cacheMiss: "messages" }, "cold: edited"],
  [{ continuity: "cold:settings-changed", cacheMiss: "model" }, "cold: model changed"],
  [{ continuity: "cold:unknown-call", cacheMiss: "unknown" }, "cold: unknown call"],
  [{ continuity: null }, ""],
])("describes how a conversation was continued: %j", (changes, text) => {
  expect(continuityText(sampleEntry(changes))).toBe(text);
});

it("does not count a client that left as a failure", () => {
  expect(["ok", "client-left", "timeout", "interrupted"].map(isFailure)).toEqual([false, false, true, true]);
});

it("sums the tokens of a turn over its requests", () => {
  const booked = [null, sampleTokens({ estimated: true }), null, sampleTokens({ reasoning: 50 })];
  const turn = booked.map((tokens) => sampleEntry({ tokens }));
  expect(turnTokens(turn)).toEqual({
    input: 24_690,
    output: 1_700,
    cacheRead: 24_000,
    cacheWrite: 0,
    reasoning: 50,
    estimated: true,
  });
  expect(turnTokens(turn.slice(0, 1))).toBeNull();
});

const HOUR_MS = 3_600_000;
/** The clocks go back by an hour on 25 October 2026 in Paris, and forward on 29 March. */
const autumn = new Date(2026, 9, 25).getTime();
const spring = new Date(2026, 2, 29).getTime();

describe("days", () => {
  it.each([
    ["autumn", autumn, 25],
    ["spring", spring, 23],
  ])("follow the change of the clocks in %s", (_, startMs, hours) => {
    const spans = new Spans();
    const moments = Array.from({ length: hours }, (_, hour) => startMs + hour * HOUR_MS);
    expect(new Set(moments.map((ms) => spans.dayText(ms)))).toEqual(new Set([dayText(startMs)]));
    expect(moments.map((ms) => spans.startOfHour(ms + 1_799_999))).toEqual(moments);
    expect(dayStart(spans.dayText(startMs - 1))).toBe(midnight(startMs, -1));
    expect(dayStart(spans.dayText(startMs + hours * HOUR_MS))).toBe(midnight(startMs, 1));
    expect(midnight(startMs, 1) - startMs).toBe(hours * HOUR_MS);
  });

  it("are found for times in any order", () => {
    const spans = new Spans();
    const ages = [0, 3, 1, 2, 0, -1, 400];
    for (const age of ages) {
      const ms = midnight(autumn, -age) + 5 * HOUR_MS;
      expect([dayStart(spans.dayText(ms)), spans.startOfHour(ms + 1)]).toEqual([midnight(autumn, -age), ms]);
    }
  });

  it("are parsed from their names", () => {
    expect(dayStart("2026-10-25")).toBe(autumn);
    for (const day of ["2026-02-30", "2026-13-01", "yesterday", "2026-1-1", ""]) expect(dayStart(day)).toBeUndefined();
  });
});

it("starts hours on the local clock in a zone with a half-hour offset", () => {
  vi.stubEnv("TZ", "Asia/Kolkata");
  onTestFinished(() => void vi.unstubAllEnvs());
  const [moment, hour] = [new Date(2026, 10, 16, 10, 59), new Date(2026, 10, 16, 10)];
  expect(hour.toString()).toContain("10:00:00 GMT+0530");
  expect(new Spans().startOfHour(moment.getTime())).toBe(hour.getTime());
});
