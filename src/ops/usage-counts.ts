export const noUsage = {
  turns: 0,
  /** Of the turns: those for which Cursor gave no figures, so that the tokens are our own guess. */
  estimatedTurns: 0,
  /** Includes what was read from the cache. */
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  /** Replies that went on from where the conversation was, and replies that did not. */
  warmReplies: 0,
  coldReplies: 0,
};

/** What went through the gateway on one day with one model. */
export type UsageCounts = Readonly<typeof noUsage>;

const names = Object.keys(noUsage) as (keyof UsageCounts)[];

export function addCounts(a: UsageCounts, b: Partial<UsageCounts>): UsageCounts {
  return countsOf((name) => a[name] + (b[name] ?? 0));
}

/** What a line of a file says; what it does not say is zero. */
export function readCounts(line: object): UsageCounts {
  return countsOf((name) => {
    const value: unknown = Reflect.get(line, name);
    return typeof value === "number" && value >= 0 && Number.isFinite(value) ? value : 0;
  });
}

/** The part of the input that came from Cursor's cache, from 0 to 1; undefined when nothing was read at all. */
export function cacheShare({ inputTokens, cacheReadTokens }: UsageCounts): number | undefined {
  return inputTokens === 0 ? undefined : Math.min(1, cacheReadTokens / inputTokens);
}

function countsOf(read: (name: keyof UsageCounts) => number): UsageCounts {
  return Object.fromEntries(names.map((name) => [name, read(name)])) as unknown as UsageCounts;
}
