import { clockTime } from "@curlew/gateway/system/format.js";
import { dayText } from "@curlew/meter/ledger/entry.js";

/** Local day and time: `11-16 14:03:22`. */
export function clockText(ms: number): string {
  return `${dayText(ms).slice(5)} ${clockTime(ms)}`;
}

export function exactClockText(ms: number): string {
  return `${dayText(ms)} ${clockTime(ms)}.${String(new Date(ms).getMilliseconds()).padStart(3, "0")}`;
}

/** A rounded time: `4 ms`, `1.2 s`, `3m 12s`, `2h 5m`. */
export function roundedTimeText(ms: number): string {
  if (ms < 99.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const units = [
  [24 * HOUR_MS, "days"],
  [HOUR_MS, "hours"],
] as const;

/** `in 90 days (2027-02-14)`, `in 3 hours`, `5 minutes ago` */
export function howSoon(momentMs: number, nowMs: number): string {
  const awayMs = Math.abs(momentMs - nowMs);
  if (awayMs < MINUTE_MS) return "now";
  const [unitMs, unit] = units.find(([ms]) => awayMs >= 2 * ms) ?? [MINUTE_MS, "minutes"];
  const count = Math.round(awayMs / unitMs);
  const span = `${count} ${count === 1 ? unit.slice(0, -1) : unit}`;
  const away = momentMs > nowMs ? `in ${span}` : `${span} ago`;
  return unit === "days" ? `${away} (${new Date(momentMs).toISOString().slice(0, 10)})` : away;
}
