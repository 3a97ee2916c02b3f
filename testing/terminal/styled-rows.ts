/** Undefined is the terminal's own colour; a number is one of the 256, of which the theme decides the first 16. */
export type Color = number | readonly [red: number, green: number, blue: number] | undefined;

export interface Style {
  readonly color: Color;
  readonly background: Color;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  readonly isInverse: boolean;
}

/** Neighbouring characters of one row that look alike. */
export interface Run {
  readonly column: number;
  readonly text: string;
  readonly style: Style;
}

const plain: Style = {
  color: undefined,
  background: undefined,
  isBold: false,
  isDim: false,
  isItalic: false,
  isUnderlined: false,
  isInverse: false,
};

/** Reads what `tmux capture-pane -e` prints: rows of text, with escapes where the style changes, also from row to row. */
export function styledRows(captured: string): Run[][] {
  let style = plain;
  return captured.split("\n").map((line) => {
    const runs: Run[] = [];
    let column = 0;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes begin with one
    for (const [, parameters, text = ""] of line.matchAll(/(?:\x1b\[([\d;:]*)m|[\x0e\x0f])|([^\x1b\x0e\x0f]+)/g)) {
      if (parameters !== undefined) style = styleAfter(style, parameters);
      if (text === "") continue;
      runs.push({ column, text, style });
      column += widthOf(text);
    }
    return runs;
  });
}

/** How many columns it takes. What is wider than one is East Asian or a pictograph, in what our programs print. */
export function widthOf(text: string): number {
  return [...text].reduce((width, character) => width + (isWide(character) ? 2 : isMark(character) ? 0 : 1), 0);
}

function isWide(character: string): boolean {
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
    character,
  );
}

function isMark(character: string): boolean {
  return /\p{Mn}|\u200d|\ufe0f/u.test(character);
}

function styleAfter(before: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map((code) => (code === "" ? 0 : Number(code)));
  let style = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const isIndexed = codes[at + 1] === 5;
      const [red = 0, green = 0, blue = 0] = codes.slice(at + 2);
      const color: Color = isIndexed ? red : [red, green, blue];
      style = code === 38 ? { ...style, color } : { ...style, background: color };
      at += isIndexed ? 2 : 4;
    } else {
      style = { ...style, ...changeBy(code) };
    }
  }
  return style;
}

function changeBy(code: number): Partial<Style> {
  if (code >= 30 && code <= 37) return { color: code - 30 };
  if (code >= 40 && code <= 47) return { background: code - 40 };
  if (code >= 90 && code <= 97) return { color: code - 82 };
  if (code >= 100 && code <= 107) return { background: code - 92 };
  switch (code) {
    case 0:
      return plain;
    case 1:
      return { isBold: true };
    case 2:
      return { isDim: true };
    case 3:
      return { isItalic: true };
    case 4:
      return { isUnderlined: true };
    case 7:
      return { isInverse: true };
    case 22:
      return { isBold: false, isDim: false };
    case 23:
      return { isItalic: false };
    case 24:
      return { isUnderlined: false };
    case 27:
      return { isInverse: false };
    case 39:
      return { color: undefined };
    case 49:
      return { background: undefined };
    default:
      return {}; // blinking and the like, which a picture does not show
  }
}
