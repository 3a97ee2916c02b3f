import { applyPatch, structuredPatch } from "diff";

/** Takes over only the lines that an edit changes of a library's layout (`before`, `after`). Undefined if they do not fit `text`. */
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
