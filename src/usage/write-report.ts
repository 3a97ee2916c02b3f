import { knownDollars } from "../prices/index.js";
import type { UsageReport, UsageRow } from "./usage-report.js";
import { cacheShare, savedTokens, type UsageSum, warmShare } from "./usage-sum.js";

/** A report in the form that the description of `GET /v1/usage` promises. */
export function writeReport({ by, days, rows, total }: UsageReport) {
  return { by, days, data: rows.map(writeRow), total: writeSum(total) };
}

function writeRow({ startMs, day, model, client, sum }: UsageRow) {
  return {
    ...(day !== undefined && { day }),
    ...(startMs !== undefined && { starts_at: new Date(startMs).toISOString() }),
    ...(model !== undefined && { model }),
    ...(client !== undefined && { client }),
    ...writeSum(sum),
  };
}

export function writeSum(sum: UsageSum) {
  const { tokens, cost } = sum;
  return {
    requests: sum.requests,
    failures: sum.failures,
    turns: sum.turns,
    estimated_turns: sum.estimatedTurns,
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    cache_read_tokens: tokens.cacheRead,
    cache_write_tokens: tokens.cacheWrite,
    reasoning_tokens: tokens.reasoning,
    cache_share: cacheShare(sum) ?? null,
    saved_tokens: savedTokens(sum),
    warm_replies: sum.warm,
    cold_replies: sum.cold,
    warm_share: warmShare(sum) ?? null,
    runs: sum.runs,
    retries: sum.retries,
    sent_bytes: sum.sentBytes,
    received_bytes: sum.receivedBytes,
    cost: { dollars: knownDollars(cost), unpriced_models: cost.unpricedModels },
  };
}
