import { applyPatch, structuredPatch } from "diff";
import type { Edit } from "../merge.js";

/** A kind of settings file that people write by hand. Edits keep its comments and layout. */
export interface Format {
  readonly name: string;
  /** An empty file is an empty object. @throws {Error} The text cannot be parsed. */
  parse(text: string): unknown;
  /** The text has plain line feeds and no byte order mark. */
  edit(text: string, edits: readonly Edit[]): string;
  /** Writes everything as a new text, for a person to copy. */
  print(value: unknown): string;
}

/** Applies to `text` only the lines that differ between a library's `before` and `after`. Undefined if they do not fit. */
export function transplant(text: string, before: string, after: string): string | undefined {
  if (before === text) return after;
  const change = structuredPatch("", "", before, after, "", "", { context: 1 });
  const kept = applyPatch(text, change, {
    autoConvertLineEndings: false,
    compareLine: (_, line, __, expected) => withoutBlanks(line) === withoutBlanks(expected),
  });
  return kept === false ? undefined : kept;
}

/** The library also compares a position after the last line. */
function withoutBlanks(line: string | undefined): string | undefined {
  return line?.replace(/\s+/g, "");
}
