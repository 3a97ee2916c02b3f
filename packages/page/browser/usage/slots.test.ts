import { describe, expect, it } from "vitest";
import { daySlots, hourSlots, rangeText } from "./slots.js";
import { noSums } from "./sums.js";

/** The tests run in Paris, where the clocks go back on 25 October 2026 and forward on 29 March. */
const at = (month: number, day: number, hour = 12) => new Date(2026, month - 1, day, hour).getTime();
const dayRow = (day: string) => ({ ...noSums, day, starts_at: `${day}T00:00:00.000Z` });
const hourRow = (atMs: number) => ({ ...noSums, day: "2026-11-16", starts_at: new Date(atMs).toISOString() });
const keys = (slots: readonly { key: string }[]) => slots.map(({ key }) => key);

describe("the days of a plot", () => {
  it("include empty ones, and end with today", () => {
    expect(keys(daySlots([], 3, at(3, 1)))).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
    for (const days of [7, 30, 90]) {
      const slots = daySlots([dayRow("2026-11-14")], days, at(11, 16));
      expect(slots).toHaveLength(days);
      expect(new Set(keys(slots)).size).toBe(days);
      expect(slots.filter(({ isCurrent }) => isCurrent)).toEqual([slots.at(-1)]);
    }
  });

  it("are calendar days, even when clocks change and just before midnight", () => {
    const nearMidnight = new Date(2026, 9, 26, 23, 59).getTime();
    expect(keys(daySlots([], 3, nearMidnight))).toEqual(["2026-10-24", "2026-10-25", "2026-10-26"]);
    expect(keys(daySlots([], 3, at(3, 30, 0)))).toEqual(["2026-03-28", "2026-03-29", "2026-03-30"]);
  });

  it("include another one if the gateway's date differs", () => {
    expect(keys(daySlots([dayRow("2026-11-17")], 2, at(11, 16)))).toEqual(["2026-11-15", "2026-11-16", "2026-11-17"]);
    expect(keys(daySlots([dayRow("2026-11-14")], 2, at(11, 16)))).toEqual(["2026-11-14", "2026-11-15", "2026-11-16"]);
  });

  it("have names, and know weekends", () => {
    const [saturday, , monday] = daySlots([], 3, at(11, 16));
    expect(saturday).toMatchObject({ name: "Sat 14 Nov", fullName: "Saturday 14 November 2026", isWeekend: true });
    expect(monday).toMatchObject({ name: "Mon 16 Nov", isWeekend: false });
  });
});

it("describes a range", () => {
  expect([1, 7, 30].map((days) => rangeText(at(11, 16, 23), days))).toEqual([
    "Monday 16 November 2026",
    "10 November to 16 November",
    "18 October to 16 November",
  ]);
});

describe("the hours of a plot", () => {
  it.each([
    ["24", at(11, 16)],
    ["25", at(10, 25)],
    ["23", at(3, 29)],
  ])("are all %s of the day", (count, nowMs) => {
    const slots = hourSlots([hourRow(nowMs)], nowMs);
    expect(slots).toHaveLength(Number(count));
    expect(slots[0]?.name).toBe("00:00");
    expect(slots.at(-1)?.fullName).toBe("23:00 to 00:00");
    expect(slots.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
  });

  it("have the same keys as their rows", () => {
    const row = hourRow(at(11, 16, 9));
    expect(hourSlots([row], at(11, 16)).find(({ key }) => key === row.starts_at)).toMatchObject({ name: "09:00" });
  });

  it("include those of the gateway's day, and start with its hours", () => {
    const yesterday = hourSlots([hourRow(at(11, 15, 20))], at(11, 16, 0));
    expect(yesterday).toHaveLength(25);
    expect(yesterday[0]?.name).toBe("20:00");
    const halfPast = hourSlots([hourRow(at(11, 16, 9) + 1_800_000)], at(11, 16));
    expect(halfPast.map(({ name }) => name).every((name) => name.endsWith(":30"))).toBe(true);
    expect(halfPast).toHaveLength(24);
  });
});
