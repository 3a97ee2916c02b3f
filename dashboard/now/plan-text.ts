import type { PlanAnswerBody } from "../../src/page/contract.js";
import type { Tone } from "../parts/chip.js";
import { dollars } from "../parts/format.js";
import type { Trouble } from "./checks.js";

export type Plan = NonNullable<PlanAnswerBody["plan"]>;

export interface Pool {
  readonly name: string;
  /** What counts against it. */
  readonly note: string;
  readonly percent: number;
}

const DAY_MS = 24 * 60 * 60_000;
const NEARLY = 80;

/** The parts of the plan of which Cursor says how much is used. */
export function poolsOf({ auto_percent_used, api_percent_used, percent_used }: Plan): Pool[] {
  return [
    { name: "Cursor Models", note: "Auto and Composer", percent: auto_percent_used },
    { name: "Other Models", note: "chosen by name", percent: api_percent_used },
    { name: "Total", note: "of what is included", percent: percent_used },
  ].flatMap(({ percent, ...pool }) => (percent === null ? [] : [{ ...pool, percent }]));
}

export function poolTone({ percent }: Pool): Tone {
  return percent >= 100 ? "bad" : percent >= NEARLY ? "caution" : "accent";
}

/** 78.1%, and in words where it matters. */
export function poolText(pool: Pool): string {
  const share = `${Number(pool.percent.toFixed(1))}%`;
  const words = { bad: ", used up", caution: ", nearly all" } as Readonly<Record<string, string>>;
  return `${share}${words[poolTone(pool)] ?? ""}`;
}

/** `$11.82 of $20.00`; null if Cursor does not say. */
export function spentText({ spent_cents, included_cents }: Plan): string | null {
  if (spent_cents === null) return null;
  return included_cents === null ? cents(spent_cents) : `${cents(spent_cents)} of ${cents(included_cents)}`;
}

/** `$3.50 of $50.00`; null if nothing can be used on demand. */
export function onDemandText({ on_demand }: Plan): string | null {
  if (on_demand === null) return null;
  const { used_cents, limit_cents } = on_demand;
  if (limit_cents === "unlimited") return `${cents(used_cents)}, without a limit`;
  return limit_cents === null ? cents(used_cents) : `${cents(used_cents)} of ${cents(limit_cents)}`;
}

/** `4 Dec, in 18 days`; null if Cursor does not say. */
export function resetText({ resets }: Plan, nowMs: number): string | null {
  if (resets === null) return null;
  const days = Math.ceil((Date.parse(resets) - nowMs) / DAY_MS);
  if (days <= 0) return dayOf(resets);
  return `${dayOf(resets)}, ${days === 1 ? "within a day" : `in ${days} days`}`;
}

/** What the plan no longer allows. Other models can stand in for those of one pool, so only an empty plan is fatal. */
export function planTrouble(plan: Plan): Trouble | null {
  const [auto, api] = [plan.auto_percent_used ?? 0, plan.api_percent_used ?? 0].map((percent) => percent >= 100);
  const isAllUsed = (auto && api) || (plan.percent_used ?? 0) >= 100;
  if (!isAllUsed && !auto && !api) return null;
  const until = plan.resets === null ? "" : ` until ${dayOf(plan.resets)}`;
  const goesOn = hasOnDemandLeft(plan);
  const pool = auto ? "Cursor Models" : "Other Models";
  return {
    what: isAllUsed ? `your plan is used up${until}` : `${pool} of your plan are used up${until}`,
    isFatal: isAllUsed && !goesOn,
    advice: adviceFor({ isAllUsed, goesOn, other: auto ? "one of Other Models" : "Auto or Composer" }),
    command: null,
  };
}

function adviceFor({ isAllUsed, goesOn, other }: { isAllUsed: boolean; goesOn: boolean; other: string }): string {
  if (goesOn) return "Cursor bills what goes beyond it on demand.";
  return isAllUsed ? "Cursor's settings offer more, or on-demand spending." : `Until then, use ${other}.`;
}

function hasOnDemandLeft({ on_demand }: Plan): boolean {
  if (on_demand === null) return false;
  const { used_cents, limit_cents } = on_demand;
  return limit_cents === "unlimited" || (limit_cents !== null && used_cents < limit_cents);
}

function cents(amount: number): string {
  return amount === 0 ? "$0.00" : dollars(amount / 100);
}

function dayOf(iso: string): string {
  return new Date(iso).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}
