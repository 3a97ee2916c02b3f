import { type ColumnLabel, thinOut, withLabel } from "../parts/plot/column-labels.js";
import type { Slot } from "./slots.js";

/** What a name under a bar needs. */
const LABEL_PX = 54;
/** Up to so many days, each one is named by the day of its week. */
const FEW_DAYS = 10;

/** The names under the bars: as many of the days, Mondays, months or hours as there is room for, and always that of now. */
export function timeLabels(slots: readonly Slot[], unit: "hour" | "day", stepPx: number): ColumnLabel[] {
  const minPx = slots.length <= FEW_DAYS ? 0 : LABEL_PX;
  const labels = thinOut(unit === "hour" ? hourSets(slots) : daySets(slots), stepPx, minPx);
  const index = slots.findIndex(({ isCurrent }) => isCurrent);
  if (index < 0) return labels;
  const now = { index, text: unit === "hour" ? "Now" : "Today", isStrong: true };
  return withLabel(labels, now, stepPx, Math.max(minPx, 1));
}

/** The days with which months begin. */
export function monthStarts(slots: readonly Slot[]): number[] {
  return slots.flatMap(({ atMs }, index) => (index > 0 && new Date(atMs).getUTCDate() === 1 ? [index] : []));
}

function hourSets(slots: readonly Slot[]): ColumnLabel[][] {
  return [1, 2, 3, 6].map((hours) =>
    slots.flatMap(({ name, atMs }, index) =>
      new Date(atMs).getHours() % hours === 0 ? [{ index, text: name, isStrong: false }] : [],
    ),
  );
}

function daySets(slots: readonly Slot[]): ColumnLabel[][] {
  const days = slots.map(({ atMs }, index) => ({ index, atMs, at: new Date(atMs) }));
  const mondays = days.filter(({ at }) => at.getUTCDay() === 1);
  const firsts = days.filter(({ at }) => at.getUTCDate() === 1);
  const named = (some: typeof days, format: Intl.DateTimeFormat) =>
    some.map(({ index, atMs }) => ({ index, text: format.format(atMs), isStrong: false }));
  return [
    named(days, slots.length <= FEW_DAYS ? weekday : date),
    named(mondays, date),
    // The last one is among them, so that the distance to today is always the same.
    named(
      mondays.filter((_, at) => (mondays.length - at) % 2 === 1),
      date,
    ),
    named(firsts, month),
  ];
}

const inUtc = { timeZone: "UTC" } as const;
const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "short", ...inUtc });
const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", ...inUtc });
const month = new Intl.DateTimeFormat("en-GB", { month: "short", ...inUtc });
