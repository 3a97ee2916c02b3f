import { midnight, Spans } from "../ledger/index.js";

const HOUR_MS = 60 * 60_000;

/** A span of time: its beginning, and the first moment after it. */
export interface Bounds {
  readonly startMs: number;
  readonly endMs: number;
}

/** The hour of the clock, in the machine's time zone, as the ledger has it. When clocks go back, the hour that comes twice is two. */
export function hourOf(nowMs: number): Bounds {
  const startMs = new Spans().startOfHour(nowMs);
  return { startMs, endMs: startMs + HOUR_MS };
}

/** The day, in the machine's time zone. Two days of the year are an hour longer or shorter. */
export function dayOf(nowMs: number): Bounds {
  return { startMs: midnight(nowMs, 0), endMs: midnight(nowMs, 1) };
}

/** `2026-11-17 00:00`, in the machine's time zone. */
export function timeText(ms: number): string {
  const at = new Date(ms);
  const two = (part: number) => String(part).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
