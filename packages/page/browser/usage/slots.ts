import type { UsageRowBody } from "../../access/contract.js";

export interface Slot {
  /** Key of its rows: `2026-11-16`, or the start of the hour. */
  readonly key: string;
  /** The time from which its names are formatted. */
  readonly atMs: number;
  /** Sat 14 Nov, or 09:00 */
  readonly name: string;
  /** Saturday 14 November 2026, or 09:00 to 10:00 */
  readonly fullName: string;
  readonly isWeekend: boolean;
  readonly isCurrent: boolean;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** All days of a range, oldest first, plus days that occur only in the time zone of the gateway. */
export function daySlots(rows: readonly UsageRowBody[], days: number, nowMs: number): Slot[] {
  const today = dayOf(nowMs);
  const expected = Array.from({ length: days }, (_, ago) => dayText(Date.parse(today) - ago * DAY_MS));
  const keys = new Set([...expected, ...rows.flatMap(({ day }) => (day === undefined ? [] : [day]))]);
  return [...keys].sort().map((key) => {
    const atMs = Date.parse(key);
    const weekday = new Date(atMs).getUTCDay();
    return {
      key,
      atMs,
      name: shortDay.format(atMs).replace(",", ""),
      fullName: fullDay.format(atMs).replace(",", ""),
      isWeekend: weekday === 0 || weekday === 6,
      isCurrent: key === today,
    };
  });
}

/** All hours of today in local time, plus those of the gateway's day outside of it. */
export function hourSlots(rows: readonly UsageRowBody[], nowMs: number): Slot[] {
  const known = rows.flatMap(({ starts_at }) => (starts_at === undefined ? [] : [Date.parse(starts_at)]));
  const now = new Date(nowMs);
  const [year, month, date] = [now.getFullYear(), now.getMonth(), now.getDate()];
  const startMs = new Date(year, month, date).getTime();
  const endMs = new Date(year, month, date + 1).getTime();
  // The gateway's time zone may be offset by half an hour.
  const shiftMs = ((((known[0] ?? startMs) - startMs) % HOUR_MS) + HOUR_MS) % HOUR_MS;
  const starts = new Set(known);
  for (let atMs = startMs + shiftMs; atMs < endMs; atMs += HOUR_MS) starts.add(atMs);
  return [...starts].sort((a, b) => a - b).map((atMs) => hourSlot(atMs, nowMs));
}

function hourSlot(atMs: number, nowMs: number): Slot {
  const name = hour.format(atMs);
  return {
    key: new Date(atMs).toISOString(),
    atMs,
    name,
    fullName: `${name} to ${hour.format(atMs + HOUR_MS)}`,
    isWeekend: false,
    isCurrent: nowMs >= atMs && nowMs < atMs + HOUR_MS,
  };
}

/** 10 November to 16 November: the last `days` days, in the browser's time zone. */
export function rangeText(nowMs: number, days: number): string {
  const lastMs = Date.parse(dayOf(nowMs));
  if (days === 1) return fullDay.format(lastMs).replace(",", "");
  return `${longDay.format(lastMs - (days - 1) * DAY_MS)} to ${longDay.format(lastMs)}`;
}

/** The day of a time, in the browser's time zone. */
export function dayOf(atMs: number): string {
  const at = new Date(atMs);
  return dayText(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate()));
}

function dayText(utcMs: number): string {
  return new Date(utcMs).toISOString().slice(0, 10);
}

const shortDay = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});
const fullDay = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" });
const longDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });
const hour = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
