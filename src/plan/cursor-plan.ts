import { field } from "../turn/read-json.js";

/** The value that Cursor sends for a limit if there is none. */
const UNLIMITED = 2_147_483_647;

/** What is known about the plan and this period; null means unknown, never zero. */
export interface CursorPlan {
  readonly plan: string | null;
  readonly price: string | null;
  readonly periodStart: string | null;
  readonly resets: string | null;
  /**
   * The used share of what the plan includes, with its bonus. It is Cursor's own figure, which may differ from spending divided
   * by the limit.
   */
  readonly percentUsed: number | null;
  /** The two pools, which the dashboard calls Cursor Models (Auto and Composer) and Other Models. */
  readonly autoPercentUsed: number | null;
  readonly apiPercentUsed: number | null;
  readonly spentCents: number | null;
  readonly includedCents: number | null;
  /** Usage that is paid beyond the plan; null if that is off. */
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

/** The spending of the period, for accounts without a plan in Cursor's answer. */
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
