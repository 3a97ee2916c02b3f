const HOUR_MS = 60 * 60_000;

/** A span of time: its beginning, and the first moment after it. */
export interface Bounds {
  readonly startMs: number;
  readonly endMs: number;
}

/** The hour of the clock, in the machine's time zone. */
export function hourOf(nowMs: number): Bounds {
  const startMs = new Date(nowMs).setMinutes(0, 0, 0);
  return { startMs, endMs: startMs + HOUR_MS };
}

/** The day, in the machine's time zone. Two days of the year are an hour longer or shorter. */
export function dayOf(nowMs: number): Bounds {
  const start = new Date(nowMs);
  start.setHours(0, 0, 0, 0);
  const end = new Date(start);
  end.setDate(end.getDate() + 1);
  return { startMs: start.getTime(), endMs: end.getTime() };
}

/** `2026-11-17 00:00`, in the machine's time zone. */
export function timeText(ms: number): string {
  const at = new Date(ms);
  const two = (part: number) => String(part).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
