import { duration } from "@curlew/gateway/system/format.js";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Round steps of time. */
const steps: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * HOUR_MS),
];

/** Round times from zero to the whole, as many as fit. */
export function ticksOf(wholeMs: number, mostTicks: number) {
  const leastMs = wholeMs / Math.max(1, mostTicks);
  const longestMs = steps.at(-1) ?? HOUR_MS;
  const stepMs = steps.find((each) => each >= leastMs) ?? Math.ceil(leastMs / longestMs) * longestMs;
  const count = Math.floor(wholeMs / stepMs + 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => ({ atMs: index * stepMs, text: tickText(index * stepMs) }));
}

/** 0, 500 ms, 2 s, 1 min 30 s */
function tickText(ms: number): string {
  if (ms === 0) return "0";
  return ms >= SECOND_MS && ms < MINUTE_MS ? `${ms / SECOND_MS} s` : duration(ms);
}

/** 3 ms, 1.25 s, 12.3 s, 3 min 5 s: more precise than in figures, for comparing times. */
export function exactDuration(ms: number): string {
  const seconds = ms / SECOND_MS;
  if (Math.round(ms) < SECOND_MS || seconds >= 59.95) return duration(ms);
  return `${seconds.toFixed(seconds < 9.995 ? 2 : 1)} s`;
}

/** The next round time, for a scale that rarely changes. */
export function roundUp(ms: number): number {
  return steps.find((each) => each >= ms) ?? ms;
}
