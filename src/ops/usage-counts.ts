export const noUsage = {
  turns: 0,
  /** The turns without usage from Cursor; their tokens are our own estimate. */
  estimatedTurns: 0,
  /** Includes tokens that were read from the cache. */
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  /** Replies that continued their conversation, and replies that did not. */
  warmReplies: 0,
  coldReplies: 0,
};

/** Counts that go on. */
export type RunningCounts = typeof noUsage;

/** The usage of one day with one model. */
export type UsageCounts = Readonly<RunningCounts>;

const names = Object.keys(noUsage) as (keyof UsageCounts)[];

export function addCounts(to: RunningCounts, counts: Partial<UsageCounts>): void {
  for (const name of names) to[name] += counts[name] ?? 0;
}

/** The counts in a line of a file. Missing counts are zero. */
export function readCounts(line: object): UsageCounts {
  const counts = { ...noUsage };
  for (const name of names) {
    const value: unknown = Reflect.get(line, name);
    if (typeof value === "number" && value >= 0 && Number.isFinite(value)) counts[name] = value;
  }
  return counts;
}

/** The share of the input that came from Cursor's cache, from 0 to 1; undefined if there was no input. */
export function cacheShare({ inputTokens, cacheReadTokens }: UsageCounts): number | undefined {
  return inputTokens === 0 ? undefined : Math.min(1, cacheReadTokens / inputTokens);
}
