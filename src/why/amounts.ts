const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A time in words that fit into a sentence: `850 ms`, `4.2 s`, `3 min 12 s`. */
export function durationText(ms: number): string {
  if (ms < SECOND_MS) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  const seconds = Math.round(ms / SECOND_MS) * SECOND_MS;
  if (seconds < MINUTE_MS) return `${seconds / SECOND_MS} s`;
  if (seconds < HOUR_MS) return inTwo(seconds, MINUTE_MS, "min", SECOND_MS, "s");
  if (seconds < DAY_MS) return inTwo(Math.floor(seconds / MINUTE_MS) * MINUTE_MS, HOUR_MS, "h", MINUTE_MS, "min");
  const days = Math.floor(seconds / DAY_MS);
  return `${days} day${days === 1 ? "" : "s"}`;
}

function inTwo(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = (ms % large) / small;
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? "" : ` ${rest} ${smallName}`}`;
}

/** A number as people write it: `48,213`. */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

/** Tokens that were estimated, to two digits: more would look measured. */
export function aboutTokens(count: number): string {
  return `about ${countText(Number(count.toPrecision(2)))} token${count === 1 ? "" : "s"}`;
}

/** `1 call`, `2 calls`. */
export function some(count: number, thing: string): string {
  return `${countText(count)} ${thing}${count === 1 ? "" : "s"}`;
}

export function percentText(part: number, whole: number): string {
  if (whole === 0) return "0%";
  const percent = Math.floor((part / whole) * 100);
  return `${percent === 0 && part > 0 ? "under 1" : percent}%`;
}
