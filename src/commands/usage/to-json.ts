import { knownDollars } from "../../prices/index.js";
import { cacheShare, savedTokens, type UsageRow, type UsageSum, warmShare } from "../../usage/index.js";
import type { ShownUsage } from "./describe.js";

/** The same report for machines. Scripts rely on its fields: they are added to, and never renamed. */
export function toJson({ account, problem, through: { by, days, rows, total } }: ShownUsage): object {
  const entries = rows.map((row) => ({ ...namesOf(row), ...figuresOf(row.sum) }));
  return { account: account ?? null, problem, throughCurlew: { days, by, entries, total: figuresOf(total) } };
}

function namesOf({ startMs, day, hour, model, client }: UsageRow) {
  return {
    ...(day !== undefined && { day }),
    ...(hour !== undefined && { hour }),
    ...(startMs !== undefined && { startsAt: new Date(startMs).toISOString() }),
    ...(model !== undefined && { model }),
    ...(client !== undefined && { client }),
  };
}

function figuresOf(sum: UsageSum) {
  const { tokens, cost } = sum;
  return {
    turns: sum.turns,
    estimatedTurns: sum.estimatedTurns,
    inputTokens: tokens.input,
    cacheReadTokens: tokens.cacheRead,
    cacheWriteTokens: tokens.cacheWrite,
    outputTokens: tokens.output,
    reasoningTokens: tokens.reasoning,
    warmReplies: sum.warm,
    coldReplies: sum.cold,
    cacheShare: cacheShare(sum) ?? null,
    warmShare: warmShare(sum) ?? null,
    savedTokens: savedTokens(sum),
    requests: sum.requests,
    failures: sum.failures,
    runs: sum.runs,
    retries: sum.retries,
    sentBytes: sum.sentBytes,
    receivedBytes: sum.receivedBytes,
    cost: { dollars: knownDollars(cost), unpricedModels: cost.unpricedModels },
  };
}
