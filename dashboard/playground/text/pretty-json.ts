import { visibleText } from "./visible-text.js";

const MAX_CHARS = 20_000;

/** What fits into one line has no others. */
const LINE_CHARS = 72;

/** JSON with a line for each value, unless it is short; anything else as it is. */
export function prettyJson(text: string): string {
  try {
    const pretty = JSON.stringify(JSON.parse(text), null, 2);
    const line = pretty.slice(0, 2 * LINE_CHARS).replaceAll(/\n */g, " ");
    return pretty.length <= 2 * LINE_CHARS && line.length <= LINE_CHARS ? line : pretty;
  } catch {
    return text;
  }
}

/** The beginning of a text, long enough for everything that people read, with all characters visible. */
export function bounded(text: string): string {
  if (text.length <= MAX_CHARS) return visibleText(text);
  const left = (text.length - MAX_CHARS).toLocaleString("en-US");
  return `${visibleText(text.slice(0, MAX_CHARS))}\n… ${left} more characters`;
}
