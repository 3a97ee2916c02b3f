import { percent, wholeCount } from "@curlew/gateway/system/format.js";
import type { Sums } from "../../access/contract.js";
import { costText, UNKNOWN } from "../parts/sum-words.js";
import type { NameRow } from "./sums.js";
import type { TimePlot, TimeSlot } from "./time-plot.js";

export function timeTable({ measure, unit, series, slots, total, format }: TimePlot, sums: Sums): Table<TimeSlot> {
  const amount = (value: number): Cell => ({ value, text: format(value) });
  const columns: Column<TimeSlot>[] = [
    { title: unit === "hour" ? "Hour" : "Day", cellOf: ({ key, name }) => ({ value: key, text: name }), all: ALL },
    // There are no hourly sums by model; the cost is in the last column.
    ...(unit === "hour" && measure === "cost" ? [] : series).map(({ name, total, sum }, index) => ({
      title: name,
      cellOf: ({ values }: TimeSlot) => amount(values[index] ?? 0),
      all: amount(total),
      ...(sum !== undefined && { sum }),
    })),
  ];
  const ofSums = sumColumns(sums).map((column) => ({
    ...column,
    cellOf: (slot: TimeSlot) => column.cellOf(slot.sums),
  }));
  if (measure === "tokens") {
    columns.push({ title: "All tokens", cellOf: ({ values }) => amount(sumOf(values)), all: amount(total) });
  }
  columns.push(...ofSums.filter(({ title }) => ["Turns", "Cost"].includes(title)));
  return {
    caption: `${measure === "tokens" ? "Tokens" : "Cost"} by ${unit}`,
    columns,
    rows: slots.toReversed(),
    keyOf: ({ key }) => key,
  };
}

export function nameTable(kind: "model" | "client", rows: readonly NameRow[], sums: Sums): Table<NameRow> {
  const columns: Column<NameRow>[] = [
    {
      title: kind === "model" ? "Model" : "Client",
      cellOf: ({ name }) => ({ value: name || UNKNOWN, text: name || UNKNOWN }),
      all: ALL,
    },
    { title: "Share", cellOf: ({ share }) => shareCell(share), all: shareCell(rows.length === 0 ? null : 1) },
    ...sumColumns(sums).map((column) => ({ ...column, cellOf: (row: NameRow) => column.cellOf(row.sums) })),
  ];
  return { caption: `Usage by ${kind}`, columns, rows, keyOf: ({ name }) => name };
}

const ALL: Cell = { value: null, text: "All" };

function sumColumns(all: Sums): Column<Sums>[] {
  const column = (title: string, sum: string, cellOf: (sums: Sums) => Cell) => ({
    title,
    cellOf,
    all: cellOf(all),
    sum,
  });
  const count = (title: string, sum: CountName) =>
    column(title, sum, (sums) => ({ value: sums[sum], text: wholeCount(sums[sum]) }));
  const share = (title: string, sum: "cache_share" | "warm_share") =>
    column(title, sum, (sums) => shareCell(sums[sum]));
  return [
    count("Input", "input_tokens"),
    count("Cached input", "cache_read_tokens"),
    share("Cached share", "cache_share"),
    count("Output", "output_tokens"),
    count("Requests", "requests"),
    count("Turns", "turns"),
    column("Runs per message", "runs_per_message", ({ runs_per_message: runs }) => ({
      value: runs,
      text: runs?.toFixed(2) ?? "–",
    })),
    share("Warm share", "warm_share"),
    column("Cost", "dollars", ({ cost }) => ({ value: cost.dollars, text: costText(cost) })),
  ];
}

type CountName = "input_tokens" | "cache_read_tokens" | "output_tokens" | "requests" | "turns";

function shareCell(share: number | null): Cell {
  return { value: share, text: share === null ? "–" : percent(share) };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** A cell: its value for CSV, and its text for display. */
export interface Cell {
  readonly value: string | number | null;
  readonly text: string;
}

export interface Column<Row> {
  readonly title: string;
  readonly cellOf: (row: Row) => Cell;
  /** The cell in the footer, for all rows. */
  readonly all: Cell;
  /** Name of the gateway's sum that the footer equals, if any. */
  readonly sum?: string;
}

/** The first column has names, the others have numbers. */
export interface Table<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** The table as CSV, without sums, which would count twice when a column is added up. */
export function toCsv<Row>({ columns, rows }: Pick<Table<Row>, "columns" | "rows">): string {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cellOf }) => cellOf(row).value)),
  ];
  return lines.map((line) => `${line.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(value: string | number | null): string {
  if (value === null) return "";
  // Removes floating-point noise.
  if (typeof value === "number") return String(Number(value.toPrecision(12)));
  // Prevents formula injection: names come from clients.
  const harmless = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
