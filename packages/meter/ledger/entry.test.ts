import { describe, expect, it, onTestFinished, vi } from "vitest";
import { sampleEntry, sampleTokens } from "../../../testing/ledger/sample-entries.js";
import {
  Counters,
  continuityText,
  count,
  dayStart,
  dayText,
  isFailure,
  midnight,
  runsText,
  Spans,
  turnTokens,
} from "./entry.js";

it.each([
  [{ continuity: "warm" }, "warm"],
  [{ continuity: "resumed" }, "resumed"],
  [{ continuity: "warm:settings-changed", cacheMiss: "tools" }, "warm: tools changed"],
  [{ continuity: "cold:edited", cacheMiss: "messages" }, "cold: edited"],
  [{ continuity: "cold:settings-changed", cacheMiss: "model" }, "cold: model changed"],
  [{ continuity: "cold:unknown-call", cacheMiss: "unknown" }, "cold: unknown call"],
  [{ continuity: null }, ""],
  [{ continuity: "cold:new", side: "title" }, "cold: new (title)"],
  [{ continuity: null, side: "title" }, "(title)"],
] as const)("describes how a conversation was continued: %j", (changes, text) => {
  expect(continuityText(sampleEntry(changes))).toBe(text);
});

it.each([
  [{ runs: 1, messages: 1 }, {}, "1 run for 1 message"],
  [{ runs: 1_800, messages: 0 }, {}, "1,800 runs for 0 messages"],
  [
    { runs: 18, messages: 15 },
    { title: 2, suggestion: 1 },
    "18 runs for 15 messages, 3 of them for side requests (title 2, suggestion 1)",
  ],
])("tells %j and %j as %j", (counts, sides, text) => {
  expect(runsText(counts, { ...new Counters(), ...sides })).toBe(text);
});

it("counts a turn with nine rounds of tools as one cold turn, one message and one run", () => {
  const sum = new Counters();
  count(sum, sampleEntry({ continuity: "cold:new" }), null);
  for (let round = 1; round <= 9; round++) count(sum, sampleEntry({ round, bringsWords: false, runs: 0 }), null);
  expect(sum).toMatchObject({ requests: 10, warm: 0, cold: 1, messages: 1, runs: 1 });
});

it.each([
  ["a message", {}, 1],
  ["one typed while tools run", { round: 1, continuity: "warm:steered" }, 1],
  ["results of a run that is gone", { bringsWords: false, continuity: "resumed" }, 0],
  ["what the client sends by itself", { side: "suggestion" }, 0],
  ["a message that a limit has refused", { outcome: "quota_exceeded", runs: 0 }, 0],
] as const)("counts %s: %j", (_, changes, messages) => {
  const sum = new Counters();
  count(sum, sampleEntry(changes), null);
  expect(sum).toMatchObject({ messages, suggestion: "side" in changes ? 1 : 0 });
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
