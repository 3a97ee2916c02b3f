import { isDeepStrictEqual } from "node:util";
import { attempt } from "./attempt.js";
import type { Format } from "./formats/format.js";
import { applied, type Edit, editsFor, isObject, type Wanted } from "./merge.js";

export class UneditableError extends Error {
  override readonly name = "UneditableError";
}

/** The text of a file with the wanted settings; the same text if it has them already. @throws {UneditableError} */
export function editedText(text: string, format: Format, wanted: Wanted): string {
  return editText(text, format, (now) => editsFor(now, wanted));
}

/** Keeps byte order mark, line ends, comments and layout. @throws {UneditableError} */
export function editText(text: string, format: Format, editsOf: (current: unknown) => readonly Edit[]): string {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const body = text.slice(mark.length);
  const hasCarriageReturns = /\r\n/.test(body) && !/(^|[^\r])\n/.test(body);
  const lines = hasCarriageReturns ? body.replaceAll("\r\n", "\n") : body;
  const current = readText(lines, format);
  const edits = editsOf(current);
  if (edits.length === 0) return text;
  const edited = attempt(() => format.edit(lines, edits));
  // The editors of all these formats have bugs, so the edited text is parsed and compared with what was meant.
  if (edited === undefined || !isDeepStrictEqual(readText(edited, format), applied(current, edits))) {
    throw new UneditableError(`it is written in a way that cannot be edited safely (${format.name})`);
  }
  return `${mark}${hasCarriageReturns ? edited.replaceAll("\n", "\r\n") : edited}`;
}

/** Parses a text with any line ends. @throws {UneditableError} The text is broken, or not one object. */
export function readSettings(text: string, format: Format): unknown {
  return readText(text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n"), format);
}

function readText(text: string, format: Format): unknown {
  let value: unknown;
  try {
    value = format.parse(text);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.split("\n", 1)[0] : String(thrown);
    throw new UneditableError(`it is not valid ${format.name}: ${reason}`, { cause: thrown });
  }
  if (isObject(value)) return value;
  throw new UneditableError(`it does not hold one ${format.name} object`);
}
