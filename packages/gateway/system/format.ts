// Numbers, times and sizes in words, for the page and the terminal. A browser loads it too, so it imports nothing.
const UNITS = [
  { unit: "k", by: 1e3 },
  { unit: "M", by: 1e6 },
  { unit: "B", by: 1e9 },
  { unit: "T", by: 1e12 },
] as const;
/** Below this a number is shown whole. */
const SHORT_FROM = 10_000;

/** 950, 12.3k, 4.56M: short enough for a tile, exact enough to compare. */
export function shortCount(count: number): string {
  const size = Math.abs(count);
  if (Math.round(size) < SHORT_FROM) return wholeCount(count);
  const sign = count < 0 ? "-" : "";
  for (const { unit, by } of UNITS) {
    const text = threeDigits(size / by);
    // 999,950 is not 1000k but 1.00M.
    if (Number(text) < 1_000) return `${sign}${text}${unit}`;
  }
  return `${sign}${wholeCount(size / 1e12)}T`;
}

/** 1.20, 12.3, 123 */
function threeDigits(value: number): string {
  for (const digits of [2, 1]) {
    const text = value.toFixed(digits);
    if (text.length <= 4) return text;
  }
  return value.toFixed(0);
}

/** The size of a context: 200k, 1M, 1.05M. It is a round number, and shown as one. */
export function contextText(tokens: number): string {
  const [value, unit] = tokens >= 999_500 ? [tokens / 1e6, "M"] : [tokens / 1e3, "k"];
  return `${value.toLocaleString("en-US", { maximumFractionDigits: unit === "M" ? 2 : 0 })}${unit}`;
}

/** 12,345 */
export function wholeCount(count: number): string {
  // Adding zero turns -0 into 0.
  return (Math.round(count) + 0).toLocaleString("en-US");
}

/** 97%, but 0.4% or 99.6% where rounding would give 0% or 100%. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.1) return "<0.1%";
  if (value > 99.9 && value < 100) return ">99.9%";
  const isNearAnEnd = (value > 0 && value < 0.95) || (value > 99.05 && value < 100);
  return isNearAnEnd ? `${value.toFixed(1)}%` : `${Math.round(value) + 0}%`;
}

/** $4.10, but $0.0042 where cents would be too coarse. */
export function dollars(amount: number): string {
  if (amount < 0) return `-${dollars(-amount)}`;
  if (amount > 0 && amount < 0.0001) return "<$0.0001";
  const isSmall = amount > 0 && amount < 0.095;
  const most = isSmall ? 1 - Math.floor(Math.log10(amount)) : 2;
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: Math.max(2, most) })}`;
}

/** 340 ms, 1.2 s, 3 min 5 s, 2 h 10 min */
export function duration(ms: number): string {
  if (Math.round(ms) < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return withRest(minutes, "min", whole % 60, "s");
  return withRest(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

function withRest(value: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${value} ${unit}` : `${value} ${unit} ${rest} ${restUnit}`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long ago that was, in words: just now, 5 min ago, 3 days ago. */
export function ago(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs;
  if (ms < 10_000) return "just now";
  if (ms < MINUTE_MS) return `${Math.floor(ms / 1_000)} s ago`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  const days = Math.floor(ms / DAY_MS);
  return days === 1 ? "a day ago" : `${days} days ago`;
}

/** 14:05:09 */
export function clockTime(atMs: number): string {
  return new Date(atMs).toLocaleTimeString("en-GB");
}

/** 16 Nov, 14:05 */
export function shortDate(atMs: number): string {
  return new Date(atMs).toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

/** 1 request, 2 requests */
export function some(count: number, one: string, many = `${one}s`): string {
  return `${wholeCount(count)} ${count === 1 ? one : many}`;
}

/** 812 B, 82.0 KiB, 1.4 MiB */
export function bytesText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

/** Ids of Curlew's own are long and random, so their beginning is enough. */
export function shortId(id: string): string {
  return /^[\da-f]{8}-[\da-f]{4}-/.test(id) ? id.slice(0, 8) : id;
}
