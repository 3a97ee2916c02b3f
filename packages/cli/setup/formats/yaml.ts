import { isDeepStrictEqual } from "node:util";
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parse,
  parseDocument,
  Scalar,
  stringify,
  type ToStringOptions,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { attempt } from "../attempt.js";
import { applied, type Edit, nested } from "../merge.js";
import { type Format, transplant } from "./format.js";

export const yaml: Format = {
  name: "YAML",
  parse: (text) => parse(text) ?? {},
  print: (value) => stringify(value),

  edit(text, edits) {
    // In-place edits come first. They insert only at the ends of lists and maps, so the paths of the others stay valid.
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
  const read: unknown = attempt(() => parse(text) ?? {});
  return isDeepStrictEqual(read, value);
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

/** Makes an edit in the text itself: another plain or quoted value, or one more entry of a list or map. Undefined for all else. */
function editInPlace(text: string, { path, value }: Edit, layout: ToStringOptions): string | undefined {
  if (value === undefined) return undefined;
  const document = parseDocument(text);
  if (document.contents === null && path.length > 0 && !/^(---|\.\.\.)/m.test(text)) {
    return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${stringify(nested(path, value), layout)}`;
  }
  const there: unknown = document.getIn(path, true);
  if (there !== undefined) return replaced(text, there, value);
  const { collection, rest } = deepest(document, path);
  if (collection === undefined) return undefined;
  return collection.flow
    ? insertedInBrackets(text, collection, rest, value)
    : insertedLines(text, collection, nested(rest, value), layout);
}

function replaced(text: string, node: unknown, value: unknown): string | undefined {
  if (isScalar(node) && node.range && typeof value !== "object") {
    const isBlock = node.type === Scalar.BLOCK_FOLDED || node.type === Scalar.BLOCK_LITERAL;
    // An empty value has no place of its own; one with an anchor may be referenced elsewhere.
    if (isBlock || node.range[0] === node.range[1] || node.anchor !== undefined) return undefined;
    const quoted = typeof value === "string" ? node.type : undefined;
    return spliced(text, node.range[0], node.range[1], printed(value, quoted));
  }
  if (isCollection(node) && node.flow && node.range && node.anchor === undefined && typeof value === "object") {
    return spliced(text, node.range[0], node.range[1], inBrackets(value));
  }
  return undefined;
}

function insertedInBrackets(text: string, { range }: Collection, [key = "", ...inner]: Edit["path"], value: unknown) {
  const [start, end] = range ?? [0, 1];
  const before = text.slice(start, end - 1).trimEnd();
  const at = start + before.length;
  const member =
    typeof key === "number"
      ? inBrackets(nested(inner, value))
      : inBrackets(nested([key, ...inner], value))
          .slice(1, -1)
          .trim();
  const isFirst = /[[{]$/.test(before);
  return spliced(text, at, at, isFirst ? member : `${before.endsWith(",") ? "" : ","} ${member}`);
}

/** New lines after the last entry, in the column of the first one. */
function insertedLines(text: string, { items, range }: Collection, value: unknown, layout: ToStringOptions) {
  const last: unknown = items.at(-1);
  const node = isPair(last) ? (last.value ?? last.key) : last;
  if (range === undefined || range === null || !isNode(node) || !node.range) return undefined;
  // The dash of a list stands before its first entry; a map begins with its first key.
  const lineStart = text.lastIndexOf("\n", range[0] - 1) + 1;
  const column = range[0] - lineStart;
  const valueEnd = node.range[1];
  const newline = text.indexOf("\n", valueEnd);
  const at = text[valueEnd - 1] === "\n" ? valueEnd : newline < 0 ? text.length : newline + 1;
  const lines = stringify(value, layout)
    .trimEnd()
    .split("\n")
    .map((line) => " ".repeat(column) + line);
  const isAtEnd = at === text.length && !text.endsWith("\n");
  return spliced(text, at, at, isAtEnd ? `\n${lines.join("\n")}` : `${lines.join("\n")}\n`);
}

type Collection = YAMLMap | YAMLSeq;

/** The innermost existing map or list on a path, and the steps that are missing in it. */
function deepest(document: Document, path: Edit["path"]): { collection: Collection | undefined; rest: Edit["path"] } {
  for (let length = path.length - 1; length >= 0; length--) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isMap(node) || isSeq(node)) return { collection: node, rest: path.slice(length) };
  }
  return { collection: undefined, rest: path };
}

function spliced(text: string, from: number, to: number, between: string): string {
  return text.slice(0, from) + between + text.slice(to);
}

function printed(value: unknown, style: Scalar["type"]): string {
  const scalar = new Scalar(value);
  if (style !== undefined) scalar.type = style;
  return stringify(scalar, { lineWidth: 0 }).trimEnd();
}

function inBrackets(value: unknown): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trimEnd();
}
