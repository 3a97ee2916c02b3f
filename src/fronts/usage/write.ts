import type { PlanAnswer } from "../../plan/index.js";
import { type UsageReport, writeReport } from "../../usage/index.js";

/** The answer, in the form that the description of the route promises. */
export function writeUsage(report: UsageReport, { plan, problem }: PlanAnswer) {
  return {
    object: "curlew.usage" as const,
    ...writeReport(report),
    plan: plan === null ? null : writePlan(plan),
    plan_problem: problem,
  };
}

export function writePlan(plan: NonNullable<PlanAnswer["plan"]>) {
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
