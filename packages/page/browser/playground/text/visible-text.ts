/** Control characters except tab and line feed, and bidirectional controls. */
const HIDDEN = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

const directions: Readonly<Record<string, string>> = {
  "\u202a": "LRE",
  "\u202b": "RLE",
  "\u202c": "PDF",
  "\u202d": "LRO",
  "\u202e": "RLO",
  "\u2066": "LRI",
  "\u2067": "RLI",
  "\u2068": "FSI",
  "\u2069": "PDI",
};

/** Makes hidden characters visible: an escape character becomes ␛, bidirectional controls become their names. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, symbolOf);
}

function symbolOf(character: string): string {
  const direction = directions[character];
  if (direction !== undefined) return `⟨${direction}⟩`;
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "␡" : `⟨${code.toString(16).toUpperCase()}⟩`;
}

const MAX_CHARS = 20_000;

/** JSON up to this length stays on one line. */
const LINE_CHARS = 72;

/** Formats JSON with a line per value, unless it is short; leaves other text as it is. */
export function prettyJson(text: string): string {
  try {
    const pretty = JSON.stringify(JSON.parse(text), null, 2);
    const line = pretty.slice(0, 2 * LINE_CHARS).replaceAll(/\n */g, " ");
    return pretty.length <= 2 * LINE_CHARS && line.length <= LINE_CHARS ? line : pretty;
  } catch {
    return text;
  }
}

/** The start of a text, long enough for reading, with hidden characters made visible. */
export function bounded(text: string): string {
  if (text.length <= MAX_CHARS) return visibleText(text);
  const left = (text.length - MAX_CHARS).toLocaleString("en-US");
  return `${visibleText(text.slice(0, MAX_CHARS))}\n… ${left} more characters`;
}
