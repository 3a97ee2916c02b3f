import { isDeepStrictEqual } from "node:util";
import { type Document, isCollection, parse, parseDocument, stringify, visit } from "yaml";
import { applied, type Edit } from "../merge.js";
import type { Format } from "./format.js";
import { transplant } from "./transplant.js";
import { editInPlace } from "./yaml-in-place.js";

export const yaml: Format = {
  name: "YAML",
  parse: (text) => parse(text) ?? {},
  print: (value) => stringify(value),

  edit(text, edits) {
    // Edits that are made in place come first. They insert at the ends of lists and maps alone, so the paths of the others stay true.
    const others: Edit[] = [];
    const started = edits.reduce((now, edit) => {
      const edited = editInPlace(now, edit, layoutOf(text));
      if (edited !== undefined && reads(edited, applied(parse(now) ?? {}, [edit]))) return edited;
      others.push(edit);
      return now;
    }, text);
    return others.length === 0 ? started : editLines(started, others);
  },
};

function editLines(text: string, edits: readonly Edit[]): string {
  const layout = layoutOf(text);
  const before = parseDocument(text).toString(layout);
  const document = parseDocument(text);
  for (const edit of edits) set(document, edit);
  const after = document.toString(layout);
  const kept = transplant(text, before, after);
  if (kept !== undefined && reads(kept, parse(after))) return kept;
  // An undo that changes the layout is better than none.
  if (edits.some(({ value }) => value === undefined)) return after;
  throw new Error("the change does not fit into the lines of the file");
}

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

function reads(text: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(parse(text) ?? {}, value);
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
