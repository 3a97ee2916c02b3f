import type { LedgerReader } from "../../ledger/index.js";

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
type RunningCounts = typeof noUsage;

/** The usage of one day with one model. */
export type UsageCounts = Readonly<RunningCounts>;

const names = Object.keys(noUsage) as (keyof UsageCounts)[];

export function addCounts(to: RunningCounts, counts: Partial<UsageCounts>): void {
  for (const name of names) to[name] += counts[name] ?? 0;
}

/** The share of the input that came from Cursor's cache, from 0 to 1; undefined if there was no input. */
export function cacheShare({ inputTokens, cacheReadTokens }: UsageCounts): number | undefined {
  return inputTokens === 0 ? undefined : Math.min(1, cacheReadTokens / inputTokens);
}

export interface DayUsage {
  /** `2026-11-15`, in the user's time zone. */
  readonly day: string;
  readonly model: string;
  readonly counts: UsageCounts;
}

/** The newest day comes first, today included; within a day, the model with the most input. */
export function usageByDay(reader: Pick<LedgerReader, "rollUps">, nowMs: number, days: number): DayUsage[] {
  const today = new Date(nowMs);
  const firstMs = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (days - 1)).getTime();
  const found = new Map<string, DayUsage & { readonly counts: RunningCounts }>();
  for (const { startMs, model, tokens, ...sums } of reader.rollUps("day", firstMs, nowMs + 1)) {
    const day = dayText(startMs);
    const known = found.get(`${day} ${model}`) ?? { day, model, counts: { ...noUsage } };
    found.set(`${day} ${model}`, known);
    addCounts(known.counts, {
      turns: sums.turns,
      estimatedTurns: sums.estimatedTurns,
      inputTokens: tokens.input,
      cacheReadTokens: tokens.cacheRead,
      cacheWriteTokens: tokens.cacheWrite,
      outputTokens: tokens.output,
      reasoningTokens: tokens.reasoning,
      warmReplies: sums.warm,
      coldReplies: sums.cold,
    });
  }
  return [...found.values()].sort((a, b) => b.day.localeCompare(a.day) || b.counts.inputTokens - a.counts.inputTokens);
}

function dayText(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
