import { expect, it } from "vitest";
import { monthStarts, timeLabels } from "./by-time.js";
import { daySlots, hourSlots } from "./slots.js";

const nowMs = new Date(2026, 10, 16, 14, 30).getTime();
const texts = (days: number, stepPx: number) =>
  timeLabels(daySlots([], days, nowMs), "day", stepPx).map(({ text }) => text);

it("labels each day of a week, even on a phone", () => {
  expect(texts(7, 41)).toEqual(["Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Today"]);
});

it("labels Mondays or months, as space permits", () => {
  expect(texts(30, 36)).toEqual(["19 Oct", "26 Oct", "2 Nov", "9 Nov", "Today"]);
  expect(texts(30, 9)).toEqual(["19 Oct", "26 Oct", "2 Nov", "9 Nov", "Today"]);
  expect(texts(90, 3)).toEqual(["Sept", "Oct", "Today"]);
});

it("labels hours, and the current one", () => {
  const labels = timeLabels(hourSlots([], nowMs), "hour", 12);
  expect(labels.map(({ text }) => text)).toEqual(["00:00", "06:00", "18:00", "Now"].filter((text) => text !== "18:00"));
  expect(labels.at(-1)).toEqual({ index: 14, text: "Now", isStrong: true });
});

it("finds the starts of months", () => {
  const slots = daySlots([], 90, nowMs);
  expect(monthStarts(slots).map((index) => slots[index]?.key)).toEqual(["2026-09-01", "2026-10-01", "2026-11-01"]);
});
