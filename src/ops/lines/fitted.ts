/** How a terminal shows the parts of a line. */
export type Paint = (text: string) => string;

/** The colours that lines use. */
export interface Colors {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly yellow: Paint;
  readonly green: Paint;
}

/** Without colours: for pipes, files, and terminals that want none. */
export const noColors: Colors = { bold: same, dim: same, red: same, yellow: same, green: same };

function same(text: string): string {
  return text;
}

/** A part of a line that is never broken. */
export interface Piece {
  readonly text: string;
  readonly paint?: Paint;
}

interface Width {
  /** The width of the terminal; undefined where lines may have any length. */
  readonly columns: number | undefined;
  /** Further lines begin under the text of the first. */
  readonly indent: number;
}

/** The pieces in one line, or in as many as the terminal needs. Ends with a line break. */
export function fitted(pieces: readonly Piece[], gap: string, { columns, indent }: Width): string {
  const max = columns ?? Number.POSITIVE_INFINITY;
  let shown = "";
  let length = 0;
  for (const { text, paint = same } of pieces) {
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
