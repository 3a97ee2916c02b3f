import { type Clock, settlesWithin } from "../../system/clock.js";
import { GatewayError } from "../../turn/error.js";
import { field, listField } from "../../turn/read-json.js";
import type { SignedCalls } from "./signed-calls.js";

const CALL_TIMEOUT_MS = 20_000;
const DASHBOARD = "aiserver.v1.DashboardService";
/** Cursor's own dashboard is not more up to date. */
const KEPT_MS = 5 * 60_000;
/** Short: a request for the usage should not wait for Cursor. */
const WAIT_MS = 2_000;
/** The value that Cursor sends for an unlimited amount. */
const UNLIMITED = 2_147_483_647;

/** What is known about the plan and this period; null means unknown, never zero. */
export type CursorPlan = Readonly<ReturnType<typeof readCursorPlan>>;

/** Usage that is paid beyond the plan; null if that is off. */
type OnDemand = { readonly usedCents: number; readonly limitCents: number | "unlimited" | null } | null;

/** Reads the answers of GetCurrentPeriodUsage and GetPlanInfo, which differ from account to account. */
export function readCursorPlan(usage: unknown, info: unknown) {
  const plan = field(info, "planInfo");
  const used = field(usage, "planUsage");
  return {
    plan: words(field(plan, "planName")),
    price: words(field(plan, "price")),
    periodStart: date(field(usage, "billingCycleStart")),
    resets: date(field(usage, "billingCycleEnd")) ?? date(field(plan, "billingCycleEnd")),
    // Cursor's own figure for the used share, bonus included; it may differ from spending divided by the limit.
    percentUsed: number(field(used, "totalPercentUsed")),
    // The two pools, which the dashboard calls Cursor Models (Auto and Composer) and Other Models.
    autoPercentUsed: number(field(used, "autoPercentUsed")),
    apiPercentUsed: number(field(used, "apiPercentUsed")),
    spentCents: number(field(used, "totalSpend")),
    includedCents:
      number(field(used, "limit")) ?? (used === undefined ? null : number(field(plan, "includedAmountCents"))),
    onDemand: onDemandOf(field(usage, "spendLimitUsage")),
    /** Models that draw from the pool of Cursor's own; empty if Cursor names none. */
    autoModels: listField(usage, "autoBucketModels").flatMap((model) => words(model) ?? []),
  };
}

/** Cursor's own models, for answers that do not list them, or not all of them (docs/protocol/open-questions.md). */
const OWN_MODEL = /^(auto|default|composer|cursor)\b/;
/** What chooses a variant of a model, which draws from the same pool. */
const VARIANT = /-(?:none|minimal|low|medium|high|xhigh|fast|thinking)\b/g;

/** Whether a model draws from the pool of Cursor's own. */
export function isOwnModel(model: string, autoModels: readonly string[]): boolean {
  const family = model.replace(VARIANT, "");
  return OWN_MODEL.test(model) || autoModels.some((each) => each.replace(VARIANT, "") === family);
}

/** The used share that counts: that of a model's pool, if Cursor says which models are in which, else that of the plan. */
export function shareFor(plan: Partial<CursorPlan>, model: string | undefined) {
  const { percentUsed = null, autoPercentUsed = null, apiPercentUsed = null, autoModels = [] } = plan;
  const isOwn = isOwnModel(model ?? "", autoModels);
  const used = isOwn ? autoPercentUsed : apiPercentUsed;
  if (model === undefined || autoModels.length === 0 || used === null) return { used: percentUsed, of: "the plan" };
  return { used, of: `the plan's pool ${isOwn ? "Cursor Models" : "Other Models"}` };
}

/** Which pool of the plan stands in the way of a model, and what still works; undefined if the model has something left. */
export function usedUpPool(plan: CursorPlan, model: string): string | undefined {
  const { percentUsed, autoPercentUsed, apiPercentUsed, onDemand, autoModels } = plan;
  const { usedCents = 0, limitCents = 0 } = onDemand ?? {};
  if (limitCents === "unlimited" || usedCents < (limitCents ?? 0)) return undefined;
  const isOwn = isOwnModel(model, autoModels);
  const [used, otherUsed] = isOwn ? [autoPercentUsed, apiPercentUsed] : [apiPercentUsed, autoPercentUsed];
  if ((used ?? percentUsed ?? 0) < 100) return undefined;
  if (used === null) return "Your plan's included usage is used up.";
  const pool = isOwn ? "Cursor Models (Auto and Composer)" : "Other Models";
  const working = isOwn ? "Models of other vendors" : "Auto and Composer";
  return `Your plan's pool ${pool} is used up.${(otherUsed ?? 100) < 100 ? ` ${working} still work.` : ""}`;
}

/** The spending of the period, for accounts without a plan in Cursor's answer. */
export function readSpentCents(aggregated: unknown): number | null {
  return number(field(aggregated, "totalCostCents"));
}

/** Of a person's own limit and that of the team, the one with less left. */
function onDemandOf(limits: unknown): OnDemand {
  const of = (whose: string) => {
    const used = number(field(limits, `${whose}Used`)) ?? number(field(limits, "totalSpend"));
    return { used, limit: number(field(limits, `${whose}Limit`)) };
  };
  const own = of("individual");
  const limited = [own, of("pooled")].filter((each) => each.limit !== null);
  const left = ({ used, limit }: typeof own) => (limit ?? 0) - (used ?? 0);
  const { used, limit } = limited.sort((a, b) => left(a) - left(b))[0] ?? own;
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

export async function readPlan(calls: SignedCalls): Promise<CursorPlan> {
  const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
  const call = (name: string, body: object = {}) => calls.callInJson(`${DASHBOARD}/${name}`, body, signal);
  // The name of the plan is optional; the usage is required.
  const [used, plan] = await Promise.all([call("GetCurrentPeriodUsage"), call("GetPlanInfo").catch(() => undefined)]);
  const read = readCursorPlan(used, plan);
  if (read.percentUsed !== null || read.spentCents !== null) return read;
  const { periodStart, resets } = read;
  // 64-bit numbers are text in protobuf's JSON.
  const [startDate, endDate] = [periodStart, resets].map((date) => String(Date.parse(date ?? "")));
  const period = periodStart === null || resets === null ? {} : { startDate, endDate };
  const spentCents = readSpentCents(await call("GetAggregatedUsageEvents", period).catch(() => undefined));
  return { ...read, spentCents };
}

/** `$4.10 of $20.00`; null if unknown. */
export function spentText({ spentCents, includedCents }: CursorPlan): string | null {
  if (spentCents === null) return null;
  return includedCents === null ? dollars(spentCents) : `${dollars(spentCents)} of ${dollars(includedCents)}`;
}

/** `$1.20 of $50.00`; null if nothing can be used on demand. */
export function onDemandText({ onDemand }: CursorPlan): string | null {
  if (onDemand === null) return null;
  const { usedCents, limitCents } = onDemand;
  const limit =
    limitCents === null ? "" : limitCents === "unlimited" ? ", without a limit" : ` of ${dollars(limitCents)}`;
  return `${dollars(usedCents)}${limit}`;
}

export function percentText(percent: number): string {
  return `${Number(percent.toFixed(1))}%`;
}

function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}

export type PlanAnswer =
  | { readonly plan: CursorPlan; readonly problem: null }
  | { readonly plan: null; readonly problem: string };

/** Caches the account's plan: asks Cursor at most once in five minutes, also after a failure. */
export function recentPlan(ask: () => Promise<CursorPlan>, clock: Clock): () => Promise<PlanAnswer> {
  let asked: { readonly atMs: number; readonly answer: Promise<PlanAnswer> } | undefined;
  const answer = async (): Promise<PlanAnswer> => {
    try {
      return { plan: await ask(), problem: null };
    } catch (thrown) {
      return { plan: null, problem: GatewayError.from(thrown).message.replaceAll("\n", " ") };
    }
  };
  // Waits for Cursor for two seconds at most. A later answer serves the next caller.
  return async () => {
    const nowMs = clock.elapsed();
    if (asked === undefined || nowMs - asked.atMs >= KEPT_MS) asked = { atMs: nowMs, answer: answer() };
    const newest = asked.answer;
    if (await settlesWithin(WAIT_MS, newest, clock)) return newest;
    return { plan: null, problem: "Cursor has not answered within 2 s. Ask again in a moment." };
  };
}
