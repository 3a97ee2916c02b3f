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

/** The usage of one day with one model. */
export type UsageCounts = Readonly<typeof noUsage>;

const names = Object.keys(noUsage) as (keyof UsageCounts)[];

export function addCounts(a: UsageCounts, b: Partial<UsageCounts>): UsageCounts {
  return countsOf((name) => a[name] + (b[name] ?? 0));
}

/** The counts in a line of a file. Missing counts are zero. */
export function readCounts(line: object): UsageCounts {
  return countsOf((name) => {
    const value: unknown = Reflect.get(line, name);
    return typeof value === "number" && value >= 0 && Number.isFinite(value) ? value : 0;
  });
}

/** The share of the input that came from Cursor's cache, from 0 to 1; undefined if there was no input. */
export function cacheShare({ inputTokens, cacheReadTokens }: UsageCounts): number | undefined {
  return inputTokens === 0 ? undefined : Math.min(1, cacheReadTokens / inputTokens);
}

function countsOf(read: (name: keyof UsageCounts) => number): UsageCounts {
  return Object.fromEntries(names.map((name) => [name, read(name)])) as unknown as UsageCounts;
}
