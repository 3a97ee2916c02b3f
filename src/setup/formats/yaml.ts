import { applyPatch, structuredPatch } from "diff";
import { type Document, isCollection, parse, parseDocument, stringify, visit } from "yaml";
import type { Edit } from "../merge.js";
import type { Format } from "./format.js";

export const yaml: Format = {
  name: "YAML",
  parse: (text) => parse(text) ?? {},
  print: (value) => stringify(value),

  edit(text, edits) {
    const layout = layoutOf(text);
    const before = parseDocument(text).toString(layout);
    const document = parseDocument(text);
    for (const edit of edits) set(document, edit);
    const after = document.toString(layout);
    // The library writes the whole file in its own layout. Only the lines that the edits change go into the user's own layout,
    // if they fit.
    const change = structuredPatch("", "", before, after, "", "", { context: 1 });
    const kept = applyPatch(text, change, {
      autoConvertLineEndings: false,
      compareLine: (_, line, __, expected) => withoutBlanks(line) === withoutBlanks(expected),
    });
    return kept !== false && reads(kept, after) ? kept : after;
  },
};

function set(document: Document, { path, value }: Edit): void {
  if (value === undefined) {
    document.deleteIn(path);
    return;
  }
  // An empty map or list is written with brackets, and would keep them when it grows.
  const parent: unknown = document.getIn(path.slice(0, -1));
  if (isCollection(parent) && parent.items.length === 0) parent.flow = false;
  document.setIn(path, document.createNode(value));
}

/** The library also asks for a position after the last line. */
function withoutBlanks(line: string | undefined): string | undefined {
  return line?.replace(/\s+/g, "");
}

function reads(text: string, same: string): boolean {
  try {
    return JSON.stringify(parse(text)) === JSON.stringify(parse(same));
  } catch {
    return false;
  }
}

function layoutOf(text: string) {
  const [, indent = "  "] = /^( +)[^\s#]/m.exec(text) ?? [];
  let hasIndentedLists = true;
  visit(parseDocument(text, { keepSourceTokens: true }), {
    Seq(_, { flow, range }) {
      if (flow || !range) return undefined;
      const lineStart = text.lastIndexOf("\n", range[0] - 1) + 1;
      hasIndentedLists = range[0] > lineStart;
      return visit.BREAK;
    },
  });
  return { lineWidth: 0, indent: indent.length, indentSeq: hasIndentedLists, flowCollectionPadding: true };
}
