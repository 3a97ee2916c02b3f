import type { MessageCost } from "./play.js";

export interface DaySummary {
  messages: number;
  /** The share of messages that cost at most one run. */
  oneRunShare: number | undefined;
  runsPerMessage: number;
  kibPerMessage: number;
  kibAgainPerMessage: number;
  /** The share of messages with only warm or resumed replies, among those that can have them. */
  warmShare: number | undefined;
  /** The share of the input tokens read from Cursor's cache. */
  cacheReadShare: number | undefined;
  continuities: Readonly<Record<string, number>>;
  faults: readonly string[];
}

export interface DayReport extends DaySummary {
  kinds: Readonly<Record<string, DaySummary>>;
}

export function reportDay(costs: readonly MessageCost[]): DayReport {
  const kinds = [...new Set(costs.map(({ kind }) => kind))].sort();
  const rows = kinds.map((kind) => [kind, summarize(costs.filter((cost) => cost.kind === kind))]);
  return { ...summarize(costs), kinds: Object.fromEntries(rows) };
}

function summarize(costs: readonly MessageCost[]): DaySummary {
  const sum = (pick: (cost: MessageCost) => number) => costs.reduce((total, cost) => total + pick(cost), 0);
  const couldBeWarm = costs.filter(({ kind }) => kind !== "first" && kind !== "after compacted");
  const labels = costs.flatMap(({ continuities }) => continuities);
  const names = [...new Set(labels)].sort();
  return {
    messages: costs.length,
    oneRunShare: share(costs.filter(({ runs }) => runs <= 1).length, costs.length),
    runsPerMessage: sum(({ runs }) => runs) / costs.length,
    kibPerMessage: sum(({ bytes }) => bytes) / 1_024 / costs.length,
    kibAgainPerMessage: sum(({ bytesAgain }) => bytesAgain) / 1_024 / costs.length,
    warmShare: share(couldBeWarm.filter(isWarm).length, couldBeWarm.length),
    cacheReadShare: share(
      sum(({ cacheReadTokens }) => cacheReadTokens),
      sum(({ inputTokens }) => inputTokens),
    ),
    continuities: Object.fromEntries(names.map((name) => [name, labels.filter((label) => label === name).length])),
    faults: costs.flatMap(({ kind, faults }, index) => faults.map((fault) => `${kind} (${index}): ${fault}`)),
  };
}

function isWarm({ continuities }: MessageCost): boolean {
  return continuities.every((label) => label === "resumed" || label === "warm" || label.startsWith("warm:"));
}

const share = (part: number, whole: number) => (whole === 0 ? undefined : part / whole);

const columns = ["messages", "runs/message", "one run", "KiB/message", "KiB again", "warm", "from cache"] as const;

/** The day as text: one row per kind of message, and one for all. */
export function toTable(title: string, report: DayReport): string {
  const rows = [...Object.entries(report.kinds), ["all", report] as const].map(([name, row]) => [name, ...cells(row)]);
  const head = [title, ...columns];
  const widths = head.map((cell, at) => Math.max(cell.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  ");
  const labels = Object.entries(report.continuities).map(([label, count]) => `${label} ${count}`);
  const faults = report.faults.slice(0, 20).map((fault) => `  ${fault.slice(0, 300)}`);
  return [
    line(head),
    ...rows.map(line),
    `Replies: ${labels.join(", ")}`,
    `Faults: ${report.faults.length}`,
    ...faults,
  ].join("\n");
}

function cells(row: DaySummary): string[] {
  const percent = (value: number | undefined) => (value === undefined ? "-" : `${(100 * value).toFixed(1)} %`);
  return [
    String(row.messages),
    row.runsPerMessage.toFixed(2),
    percent(row.oneRunShare),
    row.kibPerMessage.toFixed(1),
    row.kibAgainPerMessage.toFixed(1),
    percent(row.warmShare),
    percent(row.cacheReadShare),
  ];
}
