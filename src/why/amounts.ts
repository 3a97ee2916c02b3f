import { duration, wholeCount } from "../format.js";

const DAY_SECONDS = 24 * 60 * 60;

/** A time in words that fit into a sentence: `850 ms`, `4.2 s`, `3 min 12 s`, `2 days`. */
export function durationText(ms: number): string {
  const days = Math.floor(Math.round(ms / 1_000) / DAY_SECONDS);
  return days < 1 ? duration(ms) : `${days} day${days === 1 ? "" : "s"}`;
}

/** Tokens that were estimated, to two digits: more would look measured. */
export function aboutTokens(count: number): string {
  return `about ${wholeCount(Number(count.toPrecision(2)))} token${count === 1 ? "" : "s"}`;
}

export function percentText(part: number, whole: number): string {
  if (whole === 0) return "0%";
  const percent = Math.floor((part / whole) * 100);
  return `${percent === 0 && part > 0 ? "under 1" : percent}%`;
}
