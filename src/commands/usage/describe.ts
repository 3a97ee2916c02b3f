import type { Colors } from "../line/colors.js";
import type { CursorPlan } from "../plan/cursor-plan.js";
import { onDemandText, percentText, spentText } from "../plan/plan-text.js";
import { listing, type Row, table } from "../terminal/table.js";
import { cacheShare, type DayUsage, type UsageCounts } from "./counts.js";

const BAR_LENGTH = 24;
const DAY_MS = 24 * 60 * 60_000;

export interface UsageReport {
  readonly account: CursorPlan | null;
  /** Why the account is unknown, and what to do. */
  readonly problem: string | null;
  readonly days: number;
  readonly through: readonly DayUsage[];
  readonly total: UsageCounts;
}

interface Style {
  readonly colors: Colors;
  /** Bars are drawn on a terminal only. */
  readonly drawsBars: boolean;
  readonly nowMs: number;
}

export function describeUsage(report: UsageReport, style: Style): string {
  const { account, problem } = report;
  const { red, dim } = style.colors;
  const unknown: Row = ["account", red(problem ?? "unknown")];
  const rows = account === null ? [unknown] : planRows(account, style);
  return `${listing(rows, { minWidth: 10, dim })}\n${describeThrough(report, style)}`;
}

function planRows(plan: CursorPlan, { colors, drawsBars, nowMs }: Style): Row[] {
  const shown = (percent: number) =>
    drawsBars ? `${percentText(percent).padEnd(7)}${drawBar(percent, colors)}` : percentText(percent);
  const share = (percent: number | null) => (percent === null ? null : shown(percent));
  return [
    ["plan", [plan.plan ?? "not reported", ...(plan.price === null ? [] : [plan.price])].join(", ")],
    ["used", share(plan.percentUsed)],
    ["  Cursor Models", share(plan.autoPercentUsed)],
    ["  Other Models", share(plan.apiPercentUsed)],
    ["spent", spentText(plan)],
    ["on demand", onDemandText(plan)],
    ["resets", plan.resets === null ? null : resetText(plan.resets, nowMs)],
  ];
}

function resetText(resets: string, nowMs: number): string {
  const days = Math.ceil((Date.parse(resets) - nowMs) / DAY_MS);
  return `${resets.slice(0, 10)}${days > 0 ? `, in ${days} day${days === 1 ? "" : "s"}` : ""}`;
}

function describeThrough({ through, total, days }: UsageReport, { colors }: Style): string {
  const span = days === 1 ? "today" : `the last ${days} days`;
  if (through.length === 0) return `Nothing went through Curlew in ${span}.\n`.replace("in today", "today");
  const head = ["DAY", "MODEL", "TURNS", "INPUT", "CACHED", "OUTPUT", "REASONING", "WARM"];
  const cells = (day: string, model: string, counts: UsageCounts) => [
    day,
    model,
    whole(counts.turns),
    whole(counts.inputTokens),
    cachedText(counts),
    whole(counts.outputTokens),
    whole(counts.reasoningTokens),
    `${counts.warmReplies} of ${counts.warmReplies + counts.coldReplies}`,
  ];
  const rows = through.map(({ day, model, counts }) => cells(day, model, counts));
  const body = table(head, [...rows, cells("total", "", total)], { right: [2, 3, 4, 5, 6, 7], dim: colors.dim });
  const guess = total.estimatedTurns > 0 ? `${estimatedText(total.estimatedTurns)}\n` : "";
  return `${colors.bold(`Through Curlew, ${span}`)}\n${body}${guess}`;
}

function cachedText(counts: UsageCounts): string {
  const share = cacheShare(counts);
  return share === undefined ? "" : `${Math.round(share * 100)}%`;
}

function drawBar(percent: number, { green, yellow, red, dim }: Style["colors"]): string {
  const filled = Math.round((Math.min(100, Math.max(0, percent)) / 100) * BAR_LENGTH);
  const color = percent >= 100 ? red : percent >= 80 ? yellow : green;
  return `${color("█".repeat(filled))}${dim("░".repeat(BAR_LENGTH - filled))}`;
}

function whole(count: number): string {
  return count.toLocaleString("en");
}

function estimatedText(turns: number): string {
  return turns === 1
    ? "1 turn had no usage data from Cursor; its numbers are estimates."
    : `${whole(turns)} turns had no usage data from Cursor; their numbers are estimates.`;
}
