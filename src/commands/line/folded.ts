import { stripVTControlCharacters } from "node:util";

/** What a stream of the process says about its terminal. */
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

/**
 * A text for people. On a terminal, lines that are too long are broken between words, where the terminal would break them anywhere;
 * pipes and files get it as it is.
 * @param indent blanks before what follows a break
 */
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
