import { stripVTControlCharacters } from "node:util";
import type { Paint } from "./print.js";

const GAP = 2;

type Cells = readonly string[];

interface TableOptions {
  /** Columns of numbers, which are aligned on the right. */
  readonly right?: readonly number[];
  readonly dim: Paint;
  /** In columns of the terminal. */
  readonly width?: number;
  /** Columns dropped in this order if there is less room; then the last column is cut. */
  readonly spare?: readonly number[];
}

/** Columns made only with spaces: readable on a terminal, in a pipe and to a screen reader. Ends with a line break. */
export function table(head: Cells, rows: readonly Cells[], options: TableOptions): string {
  const { right = [], dim, width = Number.POSITIVE_INFINITY, spare = [] } = options;
  const all = [head, ...rows];
  const widths = columnWidths(all);
  const excess = Math.max(0, widths.reduce((sum, each) => sum + each + GAP, -GAP) - width);
  const [first] = spare;
  if (excess > 0 && first !== undefined) {
    const [narrowHead = [], ...narrow] = all.map((row) => row.toSpliced(first, 1));
    return table(narrowHead, narrow, { ...options, right: without(first, right), spare: without(first, spare) });
  }
  const room = Math.max(1, (widths.at(-1) ?? 0) - excess);
  const lines = all.map((row) => {
    const last = row.at(-1) ?? "";
    const fitting = last.length > room ? `${last.slice(0, room - 1)}…` : last;
    return alignedLine([...row.slice(0, -1), fitting], widths.with(-1, room), right);
  });
  return `${lines.map((line, index) => (index === 0 ? dim(line) : line)).join("\n")}\n`;
}

function without(column: number, columns: readonly number[]): number[] {
  return columns.filter((each) => each !== column).map((each) => (each > column ? each - 1 : each));
}

export function columnWidths(rows: readonly Cells[]): readonly number[] {
  const [head = []] = rows;
  return head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
}

/** One line of a table. A cell that is too long moves the rest of its line. */
export function alignedLine(cells: readonly string[], widths: readonly number[], right: readonly number[]): string {
  return cells
    .map((cell, column) =>
      right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    )
    .join(" ".repeat(GAP))
    .trimEnd();
}

/** Rows without a value are left out. */
export type Row = readonly [name: string, text: string | null];

export function listing(rows: readonly Row[], minWidth: number, dim: Paint): string {
  const shown = rows.filter(([, text]) => text !== null);
  const width = Math.max(minWidth, ...shown.map(([name]) => name.length));
  return shown.map(([name, text]) => `${dim(name.padEnd(width))} ${text}\n`).join("");
}

export interface TextStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Narrower terminals wrap lines on their own: a word or two per line would gain nothing. */
const MIN_COLUMNS = 40;

/** How many columns a text for people may have; unlimited without a terminal. */
export function columnsOf({ isTTY, columns = 0 }: TextStream): number {
  return isTTY === true && columns >= MIN_COLUMNS ? columns : Number.POSITIVE_INFINITY;
}

/** On a terminal, wraps long lines between words; pipes and files get the text as is. */
export function folded(stream: TextStream, text: string, indent = 0): string {
  const columns = columnsOf(stream);
  return text
    .split("\n")
    .flatMap((line) => (visibleLength(line) <= columns ? line : wrap(line, columns, " ".repeat(indent))))
    .join("\n");
}

/** Wraps a text between words to this width. A longer word gets its own line. */
export function wrap(text: string, columns: number, margin = ""): string[] {
  const [first = "", ...words] = text.split(" ");
  const lines: string[] = [];
  let current = first;
  for (const word of words) {
    const longer = `${current} ${word}`;
    if (current.trim() === "" || visibleLength(longer) <= columns) current = longer;
    else {
      lines.push(current.trimEnd());
      current = `${margin}${word}`;
    }
  }
  return [...lines, current];
}

function visibleLength(text: string): number {
  return stripVTControlCharacters(text).length;
}

/** A part of a line that is never broken. */
export interface Piece {
  readonly text: string;
  readonly paint?: Paint;
}

interface Width {
  readonly columns: number | undefined;
  /** Further lines begin under the text of the first. */
  readonly indent: number;
}

/** The pieces in one line, or in as many as the terminal needs. Ends with a line break. */
export function fitted(pieces: readonly Piece[], gap: string, { columns, indent }: Width): string {
  const max = columns ?? Number.POSITIVE_INFINITY;
  let shown = "";
  let length = 0;
  for (const { text, paint = (same: string) => same } of pieces) {
    const fits = length === 0 || length + gap.length + text.trimEnd().length <= max;
    if (!fits) shown = `${shown.trimEnd()}\n${" ".repeat(indent)}`;
    else if (length > 0) shown += gap;
    length = fits ? length + (length > 0 ? gap.length : 0) + text.length : indent + text.length;
    const words = text.trim();
    shown += words === "" ? text : text.replace(words, () => paint(words)); // no colour on the spaces around
  }
  return `${shown.trimEnd()}\n`;
}

/** An indented text, wrapped between words. Ends with a line break. */
export function indented(text: string, paint: Paint, { columns, indent }: Width): string {
  const lines = wrap(text, (columns ?? Number.POSITIVE_INFINITY) - indent);
  return lines.map((line) => `${" ".repeat(indent)}${paint(line)}\n`).join("");
}

export function oneLine(text: string, max: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > max ? `${line.slice(0, max - 1)}…` : line;
}
