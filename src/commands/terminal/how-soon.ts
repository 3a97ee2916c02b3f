const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `in 90 days (2027-02-14)`, `in 3 hours`, `5 minutes ago` */
export function howSoon(momentMs: number, nowMs: number): string {
  const awayMs = Math.abs(momentMs - nowMs);
  if (awayMs < MINUTE_MS) return "now";
  const [unitMs, unit] =
    awayMs >= 2 * DAY_MS
      ? ([DAY_MS, "days"] as const)
      : awayMs >= 2 * HOUR_MS
        ? ([HOUR_MS, "hours"] as const)
        : ([MINUTE_MS, "minutes"] as const);
  const count = Math.round(awayMs / unitMs);
  const span = `${count} ${count === 1 ? unit.slice(0, -1) : unit}`;
  const away = momentMs > nowMs ? `in ${span}` : `${span} ago`;
  return unit === "days" ? `${away} (${new Date(momentMs).toISOString().slice(0, 10)})` : away;
}
