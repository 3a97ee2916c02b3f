import { stripVTControlCharacters } from "node:util";
import type { Paint } from "./colors.js";

export interface TextStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Narrower terminals break lines on their own: with a word or two on each line, nothing is gained. */
const MIN_COLUMNS = 40;

/** How many columns a text for people may have; without an end where nobody reads it on a terminal. */
export function columnsOf({ isTTY, columns = 0 }: TextStream): number {
  return isTTY === true && columns >= MIN_COLUMNS ? columns : Number.POSITIVE_INFINITY;
}

/** On a terminal, lines that are too long are broken between words; pipes and files get the text as it is. */
export function folded(stream: TextStream, text: string, indent = 0): string {
  const columns = columnsOf(stream);
  return text
    .split("\n")
    .map((line) => (visibleLength(line) <= columns ? line : foldedLine(line, columns, " ".repeat(indent))))
    .join("\n");
}

function foldedLine(line: string, columns: number, margin: string): string {
  const [first = "", ...words] = line.split(" ");
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
  return [...lines, current].join("\n");
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

/** A text under another one, broken between its words. Ends with a line break. */
export function indented(text: string, paint: Paint, { columns, indent }: Width): string {
  const lines = wrap(text, (columns ?? Number.POSITIVE_INFINITY) - indent);
  return lines.map((line) => `${" ".repeat(indent)}${paint(line)}\n`).join("");
}

/** Lines of at most this width, broken between words. A word that is longer has a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}
