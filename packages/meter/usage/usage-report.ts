import { finish, finishInSlices } from "@curlew/gateway/system/clock.js";
import { dayText, type LedgerReader, midnight, type RollUp } from "../ledger/index.js";
import type { Prices } from "../prices/prices.js";
import { UsageAdder, type UsageSum, writeSum } from "./usage-sum.js";

/** How rows are grouped. `day` groups by day and model. */
export const groupings = ["day", "model", "client", "hour"] as const;
export type Grouping = (typeof groupings)[number];

export function isGrouping(text: string): text is Grouping {
  return groupings.some((each) => each === text);
}

const HALF_DAY_MS = 12 * 60 * 60_000;
/** The longest retention that the settings allow for the ledger. */
const MAX_DAYS = 3_650;
/** Longer reports by hour would have thousands of rows. */
const MAX_DAYS_BY_HOUR = 31;

export function maxDaysOf(by: Grouping): number {
  return by === "hour" ? MAX_DAYS_BY_HOUR : MAX_DAYS;
}

export function usualDaysOf(by: Grouping): number {
  return by === "hour" ? 1 : 7;
}

interface RowName {
  /** Start of the hour or day. Like the next two, only in rows by time. */
  readonly startMs?: number;
  /** `2026-11-15` */
  readonly day?: string;
  /** `2026-11-15 09:00`, in rows by hour */
  readonly hour?: string;
  readonly model?: string;
  readonly client?: string;
}

export interface UsageRow extends RowName {
  readonly sum: UsageSum;
}

export interface UsageReport {
  readonly by: Grouping;
  /** Number of days, including today. */
  readonly days: number;
  /** Rows by time: newest first; others: most input first. */
  readonly rows: readonly UsageRow[];
  readonly total: UsageSum;
}

export interface UsageQuestion {
  readonly by: Grouping;
  readonly days: number;
  /** Only requests with the key of this name. */
  readonly client?: string | undefined;
}

interface ReportOptions extends UsageQuestion {
  readonly nowMs: number;
  readonly prices: Prices;
}

/** Usage in these days. Reads only the roll-ups of the ledger, so its cost does not depend on the number of requests. */
export function reportUsage(reader: LedgerReader, options: ReportOptions): UsageReport {
  return finish(sumUp(reader, options, Number.POSITIVE_INFINITY));
}

/** The same without blocking the event loop. */
export function reportUsageInSlices(reader: LedgerReader, options: ReportOptions): Promise<UsageReport> {
  return finishInSlices(sumUp(reader, options, options.by === "hour" ? HALF_DAY_MS / 2 : 14 * HALF_DAY_MS));
}

function* sumUp(
  reader: LedgerReader,
  { by, days, client, nowMs, prices }: ReportOptions,
  sliceMs: number,
): Generator<undefined, UsageReport, undefined> {
  const span = by === "hour" ? "hour" : "day";
  // Days of a gateway in another time zone may start earlier.
  const fromMs = midnight(nowMs, 1 - days) - (span === "day" ? HALF_DAY_MS : 0);
  const total = new UsageAdder(prices);
  const groups = new Map<string, { readonly name: RowName; readonly adder: UsageAdder }>();
  for (let atMs = fromMs; atMs <= nowMs; atMs += sliceMs) {
    const isLast = atMs + sliceMs > nowMs;
    for (const rollUp of reader.rollUps(span, atMs, isLast ? Number.MAX_SAFE_INTEGER : atMs + sliceMs)) {
      if (client !== undefined && !(rollUp.isNamedKey && rollUp.client === client)) continue;
      total.add(rollUp);
      const name = nameBy[by](rollUp);
      const key = [name.hour === undefined ? name.day : name.startMs, name.model, name.client].join(" ");
      const group = groups.get(key) ?? { name, adder: new UsageAdder(prices) };
      groups.set(key, group);
      group.adder.add(rollUp);
    }
    yield;
  }
  const rows = Array.from(groups.values(), ({ name, adder }): UsageRow => ({ ...name, sum: adder.sum }));
  return { by, days, rows: rows.sort(byTimeAndInput), total: total.sum };
}

/** A report as documented for `GET /v1/usage`. */
export function writeReport({ by, days, rows, total }: UsageReport) {
  return { by, days, data: rows.map(writeRow), total: writeSum(total) };
}

export function writeRow({ startMs, day, model, client, sum }: UsageRow) {
  return {
    ...(day !== undefined && { day }),
    ...(startMs !== undefined && { starts_at: new Date(startMs).toISOString() }),
    ...(model !== undefined && { model }),
    ...(client !== undefined && { client }),
    ...writeSum(sum),
  };
}

const nameBy: Readonly<Record<Grouping, (rollUp: RollUp) => RowName>> = {
  day: ({ startMs, model }) => ({ startMs, day: dayOf(startMs), model }),
  hour: ({ startMs }) => ({ startMs, day: dayText(startMs), hour: hourText(startMs) }),
  model: ({ model }) => ({ model }),
  client: ({ client }) => ({ client }),
};

function byTimeAndInput(a: UsageRow, b: UsageRow): number {
  const [timeA, timeB] = [a.hour ?? a.day ?? "", b.hour ?? b.day ?? ""];
  if (timeA !== timeB) return timeA < timeB ? 1 : -1;
  return b.sum.tokens.input - a.sum.tokens.input || b.sum.requests - a.sum.requests;
}

/** The day of a roll-up, by its middle: days of a gateway in another time zone start at another hour here. */
export function dayOf(startMs: number): string {
  return dayText(startMs + HALF_DAY_MS);
}

function hourText(startMs: number): string {
  return `${dayText(startMs)} ${String(new Date(startMs).getHours()).padStart(2, "0")}:00`;
}
