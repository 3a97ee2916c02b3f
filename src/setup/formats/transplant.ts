import { applyPatch, structuredPatch } from "diff";

/**
 * Libraries write a whole file in their own layout. This takes over only the lines that an edit changes: `before` and `after` are the
 * library's text without and with it, and differ from the user's `text` in blanks alone. Undefined if the lines do not fit.
 */
export function transplant(text: string, before: string, after: string): string | undefined {
  if (before === text) return after;
  const change = structuredPatch("", "", before, after, "", "", { context: 1 });
  const kept = applyPatch(text, change, {
    autoConvertLineEndings: false,
    compareLine: (_, line, __, expected) => withoutBlanks(line) === withoutBlanks(expected),
  });
  return kept === false ? undefined : kept;
}

/** The library also asks for a position after the last line. */
function withoutBlanks(line: string | undefined): string | undefined {
  return line?.replace(/\s+/g, "");
}
