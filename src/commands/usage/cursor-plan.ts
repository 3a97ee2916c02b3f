import { field } from "../../turn/read-json.js";

/** What Cursor gives as a limit where there is none. */
const UNLIMITED = 2_147_483_647;

/** What is known of the plan and of this period; null is unknown, never zero. */
export interface CursorPlan {
  readonly plan: string | null;
  readonly price: string | null;
  readonly periodStart: string | null;
  readonly resets: string | null;
  /** Of what the plan includes, bonus included; Cursor's own figure, which spending divided by the limit may not give. */
  readonly percentUsed: number | null;
  /** The two pools, which the dashboard calls Cursor Models (Auto and Composer) and Other Models. */
  readonly autoPercentUsed: number | null;
  readonly apiPercentUsed: number | null;
  readonly spentCents: number | null;
  readonly includedCents: number | null;
  /** What is paid beyond the plan; null when that is off. */
  readonly onDemand: { readonly usedCents: number; readonly limitCents: number | "unlimited" | null } | null;
}

/** Reads the answers of GetCurrentPeriodUsage and GetPlanInfo, which differ from account to account. */
export function readCursorPlan(usage: unknown, info: unknown): CursorPlan {
  const plan = field(info, "planInfo");
  const used = field(usage, "planUsage");
  return {
    plan: words(field(plan, "planName")),
    price: words(field(plan, "price")),
    periodStart: date(field(usage, "billingCycleStart")),
    resets: date(field(usage, "billingCycleEnd")) ?? date(field(plan, "billingCycleEnd")),
    percentUsed: number(field(used, "totalPercentUsed")),
    autoPercentUsed: number(field(used, "autoPercentUsed")),
    apiPercentUsed: number(field(used, "apiPercentUsed")),
    spentCents: number(field(used, "totalSpend")),
    includedCents:
      number(field(used, "limit")) ?? (used === undefined ? null : number(field(plan, "includedAmountCents"))),
    onDemand: onDemandOf(field(usage, "spendLimitUsage")),
  };
}

/** What was spent in the period, for accounts that are told nothing of a plan. */
export function readSpentCents(aggregated: unknown): number | null {
  return number(field(aggregated, "totalCostCents"));
}

function onDemandOf(limits: unknown): CursorPlan["onDemand"] {
  const limit = number(field(limits, "individualLimit")) ?? number(field(limits, "pooledLimit"));
  const used = number(field(limits, "individualUsed")) ?? number(field(limits, "totalSpend"));
  if (limit === null && used === null) return null;
  return { usedCents: used ?? 0, limitCents: limit === null ? null : limit >= UNLIMITED ? "unlimited" : limit };
}

/** Some accounts get every number as text. */
function number(value: unknown): number | null {
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof read === "number" && Number.isFinite(read) ? read : null;
}

function words(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function date(value: unknown): string | null {
  const ms = number(value);
  return ms === null || ms <= 0 || ms > 8.64e15 ? null : new Date(ms).toISOString();
}
