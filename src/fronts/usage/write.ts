import type { PlanAnswer } from "../../plan/index.js";
import { knownDollars } from "../../prices/index.js";
import {
  cacheShare,
  savedTokens,
  type UsageReport,
  type UsageRow,
  type UsageSum,
  warmShare,
} from "../../usage/index.js";

/** The answer, in the form that the description of the route promises. */
export function writeUsage({ by, days, rows, total }: UsageReport, { plan, problem }: PlanAnswer) {
  return {
    object: "curlew.usage" as const,
    by,
    days,
    data: rows.map(writeRow),
    total: writeSum(total),
    plan: plan === null ? null : writePlan(plan),
    plan_problem: problem,
  };
}

function writeRow({ startMs, day, model, client, sum }: UsageRow) {
  return {
    ...(startMs !== undefined && { day, starts_at: new Date(startMs).toISOString() }),
    ...(model !== undefined && { model }),
    ...(client !== undefined && { client }),
    ...writeSum(sum),
  };
}

function writeSum(sum: UsageSum) {
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

function writePlan(plan: NonNullable<PlanAnswer["plan"]>) {
  return {
    plan: plan.plan,
    price: plan.price,
    period_start: plan.periodStart,
    resets: plan.resets,
    percent_used: plan.percentUsed,
    auto_percent_used: plan.autoPercentUsed,
    api_percent_used: plan.apiPercentUsed,
    spent_cents: plan.spentCents,
    included_cents: plan.includedCents,
    on_demand:
      plan.onDemand === null ? null : { used_cents: plan.onDemand.usedCents, limit_cents: plan.onDemand.limitCents },
  };
}
