import {
  type CursorPlan,
  isOwnModel,
  onDemandText,
  percentText,
  spentText,
} from "@curlew/gateway/backends/cursor/plan.js";
import { dollars, some, wholeCount } from "@curlew/gateway/system/format.js";
import { runsText } from "@curlew/meter/ledger/index.js";
import { type CostSum, knownDollars } from "@curlew/meter/prices/prices.js";
import {
  cacheShare,
  type Grouping,
  runsPerMessage,
  savedTokens,
  type UsageReport,
  type UsageSum,
  warmShare,
} from "@curlew/meter/usage/index.js";
import type { Colors } from "../../terminal/print.js";
import { listing, oneLine, type Row, table } from "../../terminal/table.js";

const BAR_LENGTH = 24;
const DAY_MS = 24 * 60 * 60_000;
/** Clients choose their names, and a name must not push the figures off the screen. */
const MAX_NAME_LENGTH = 40;
const BOTH_FIGURES = "Cursor works out the percentages and the dollars separately, so they need not match.";
const LEGEND = [
  "RUNS: runs per message; a message is what a person typed, with all its rounds of tools.",
  "WARM: turns that continued a stored state instead of starting from the transcript.",
];

export interface ShownUsage {
  /** Undefined if Cursor was not asked. */
  readonly account: CursorPlan | null | undefined;
  readonly problem: string | null;
  readonly through: UsageReport;
}

interface Style {
  readonly colors: Colors;
  readonly drawsBars: boolean;
  readonly columns: number;
  readonly nowMs: number;
}

export function describeUsage({ account, problem, through }: ShownUsage, style: Style): string {
  if (account === undefined) return describeThrough(through, style);
  const { red, dim } = style.colors;
  const unknown: Row = ["account", red(problem ?? "unknown")];
  const rows = account === null ? [unknown] : planRows(account, style);
  const hasBoth = account !== null && account.percentUsed !== null && spentText(account) !== null;
  const note = hasBoth ? `${dim(BOTH_FIGURES)}\n` : "";
  return `${listing(rows, 10, dim)}${note}\n${describeThrough(through, style, account?.autoModels)}`;
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

function drawBar(percent: number, { green, yellow, red, dim }: Colors): string {
  const filled = Math.round((Math.min(100, Math.max(0, percent)) / 100) * BAR_LENGTH);
  const color = percent >= 100 ? red : percent >= 80 ? yellow : green;
  return `${color("█".repeat(filled))}${dim("░".repeat(BAR_LENGTH - filled))}`;
}

const nameColumns: Readonly<Record<Grouping, readonly string[]>> = {
  day: ["DAY", "MODEL"],
  model: ["MODEL"],
  client: ["CLIENT"],
  hour: ["HOUR"],
};

const numberColumns = ["TURNS", "RUNS", "INPUT", "CACHED", "WRITTEN", "OUTPUT", "REASONING", "WARM", "COST"];
/** Columns that a narrow terminal drops, in this order. */
const spareColumns = ["REASONING", "WRITTEN", "CACHED"];

function describeThrough(report: UsageReport, { colors, columns }: Style, autoModels: readonly string[] = []): string {
  const { rows: all, total, days, by } = report;
  // Requests that were refused, often for a mistyped model, have used nothing.
  const rows = all.filter(({ sum }) => sum.turns > 0);
  const span = days === 1 ? "today" : `the last ${days} days`;
  if (rows.length === 0) return `Nothing went through Curlew ${days === 1 ? span : `in ${span}`}.\n`;
  const hasPools = autoModels.length > 0 && nameColumns[by].includes("MODEL");
  const names = hasPools ? [...nameColumns[by], "POOL"] : nameColumns[by];
  const totalNames = names.map((_, column) => (column === 0 ? "total" : ""));
  const cells = [
    ...rows.map(({ day, hour, model, client, sum }) => [
      ...[hour ?? day, model, client].flatMap((name) => (name === undefined ? [] : [shortName(name)])),
      ...(hasPools ? [isOwnModel(model ?? "", autoModels) ? "Cursor" : "Other"] : []),
      ...numberCells(sum),
    ]),
    [...totalNames, ...numberCells(total)],
  ];
  const spare = spareColumns.map((name) => names.length + numberColumns.indexOf(name));
  const right = numberColumns.map((_, column) => names.length + column);
  const body = table([...names, ...numberColumns], cells, { right, dim: colors.dim, width: columns, spare });
  return `${colors.bold(`Through Curlew, ${span}`)}\n${body}${notes(total)}${colors.dim(LEGEND.join("\n"))}\n`;
}

function numberCells(sum: UsageSum): string[] {
  const { tokens } = sum;
  return [
    wholeCount(sum.turns),
    runsPerMessage(sum)?.toFixed(2) ?? "",
    wholeCount(tokens.input),
    shareText(cacheShare(sum)),
    wholeCount(tokens.cacheWrite),
    wholeCount(tokens.output),
    wholeCount(tokens.reasoning),
    shareText(warmShare(sum)),
    costCell(sum.cost),
  ];
}

function notes(total: UsageSum): string {
  const { cost, estimatedTurns } = total;
  const lines = [
    `${runsText(total, total)}.`,
    `The cache saved ${wholeCount(savedTokens(total))} tokens of input.`,
    costText(cost),
    ...(estimatedTurns > 0 ? [estimatedText(estimatedTurns)] : []),
  ];
  return `${lines.join("\n")}\n`;
}

function costText(cost: CostSum): string {
  const names = cost.unpricedModels.map(shortName);
  const unpriced = `${listed(names)} ${names.length === 1 ? "has" : "have"} no list price`;
  if (knownDollars(cost) === null) return `The cost is unknown: ${unpriced}.`;
  const priced = dollars(cost.dollars);
  return `At list prices this cost ${names.length === 0 ? priced : `at least ${priced}; ${unpriced}`}.`;
}

/** `a`, `a and b`, `a, b and c` */
function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}

function costCell(cost: CostSum): string {
  if (cost.unpricedModels.length === 0) return dollars(cost.dollars);
  return knownDollars(cost) === null ? "unknown" : `at least ${dollars(cost.dollars)}`;
}

function shareText(share: number | undefined): string {
  return share === undefined ? "" : `${Math.round(share * 100)}%`;
}

function shortName(name: string): string {
  return oneLine(name, MAX_NAME_LENGTH) || "unknown";
}

function estimatedText(turns: number): string {
  return `${some(turns, "turn")} had no usage data from Cursor; ${turns === 1 ? "its" : "their"} numbers are estimates.`;
}
