/** 950, 12.3k, 4.56M: short enough for a tile, exact enough to compare. */
export function shortCount(count: number): string {
  const steps = [
    { from: 1e9, unit: "B" },
    { from: 1e6, unit: "M" },
    { from: 1e4, unit: "k", by: 1e3 },
  ];
  const step = steps.find(({ from }) => Math.abs(count) >= from);
  if (step === undefined) return wholeCount(count);
  const value = count / (step.by ?? step.from);
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${step.unit}`;
}

/** 12,345 */
export function wholeCount(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

/** 97%, and 0.4% where rounding would say nothing. */
export function percent(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 1 ? value.toFixed(1) : Math.round(value)}%`;
}

/** $4.10, and $0.0042 where cents would say nothing. */
export function dollars(amount: number): string {
  if (amount > 0 && amount < 0.1) return `$${amount.toPrecision(2)}`;
  return `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** 340 ms, 1.2 s, 3 min 5 s, 2 h 10 min */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return withRest(minutes, "min", Math.floor(seconds % 60), "s");
  return withRest(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

function withRest(value: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${value} ${unit}` : `${value} ${unit} ${rest} ${restUnit}`;
}

/** How long ago that was, in words: just now, 5 min ago, yesterday. */
export function ago(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs;
  if (ms < 10_000) return "just now";
  if (ms < 3_600_000)
    return `${duration(Math.floor(ms / (ms < 60_000 ? 1_000 : 60_000)) * (ms < 60_000 ? 1_000 : 60_000))} ago`;
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)} h ago`;
  const days = Math.floor(ms / 86_400_000);
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
