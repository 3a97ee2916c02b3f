import { childOf, parseJson } from "@curlew/gateway/system/json-flaw.js";
import { type Node, parseTree } from "jsonc-parser";
import { type Edit, nested } from "../merge.js";
import type { Format } from "./format.js";
import {
  commaAfter,
  following,
  indentAt,
  indentUnit,
  lastCommentEnd,
  printJson,
  startsItsLine,
} from "./json-layout.js";

/** JSON, including comments and trailing commas, which many clients allow. */
export const json: Format = {
  name: "JSON",
  print: (value) => `${printJson(value, "  ")}\n`,
  parse: (text) => (text.trim() === "" ? {} : parseJson(text)),
  edit: (text, edits) => edits.reduce(editJson, text.trim() === "" ? "{}\n" : text),
};

interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Makes one edit in the text of a JSON file. Nothing changes outside of the value, the comma before it and the blanks around it. */
function editJson(text: string, { path, value }: Edit): string {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) throw new Error("there is no value in the text");
  let node = root;
  for (const [depth, step] of path.entries()) {
    const next = childOf(node, step);
    if (next === undefined) {
      const inserted = nested(path.slice(depth + 1), value);
      return value === undefined ? text : applied(text, insertion(text, root, node, step, inserted));
    }
    node = next;
  }
  if (value === undefined) return applied(text, removal(text, node));
  const printed = printJson(value, indentUnit(text, root), indentAt(text, node.offset));
  return applied(text, [{ from: node.offset, to: endOf(node), text: printed }]);
}

function applied(text: string, edits: readonly TextEdit[]): string {
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((now, { from, to, text: inserted }) => now.slice(0, from) + inserted + now.slice(to), text);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function insertion(text: string, root: Node, into: Node, key: string | number, value: unknown): TextEdit[] {
  const { children = [] } = into;
  const unit = indentUnit(text, root);
  const outer = indentAt(text, into.offset);
  const close = endOf(into) - 1;
  const beside = children.findLast(({ offset }) => startsItsLine(text, offset));
  const inner = beside === undefined ? outer + unit : indentAt(text, beside.offset);
  const name = into.type === "array" ? "" : `${JSON.stringify(String(key))}: `;
  const member = `\n${inner}${name}${printJson(value, unit, inner, name.length)}`;
  const last = children.at(-1);
  if (last === undefined)
    return [beforeClose(text, lastCommentEnd(text, into.offset + 1, close) ?? into.offset + 1, close, member, outer)];
  const after = following(text, endOf(last));
  const comma = after.comma ?? commaAfter(text, endOf(last));
  // A file with trailing commas keeps them.
  const added = comma === undefined ? member : `${member},`;
  const commas = comma === undefined ? [{ from: endOf(last), to: endOf(last), text: "," }] : [];
  const end = comma === undefined ? after.lineEnd : Math.max(after.lineEnd, comma + 1);
  // Of two edits at one position, the later one in this list comes first in the text.
  if (after.endsLine) return [{ from: end, to: end, text: added }, ...commas];
  return [beforeClose(text, end, close, added, outer), ...commas];
}

/** Writes before the closing bracket, which gets a line of its own if it has none. Only blanks are replaced. */
function beforeClose(text: string, from: number, close: number, member: string, outer: string): TextEdit {
  const between = text.slice(from, close);
  if (between.includes("\n") || between.trim() !== "") return { from, to: from, text: member };
  return { from, to: close, text: `${member}\n${outer}` };
}

/** Removes a member with its comma, and its line if nothing else is on it. */
function removal(text: string, node: Node): TextEdit[] {
  const member = node.parent?.type === "property" ? node.parent : node;
  const siblings = member.parent?.children ?? [];
  const before = siblings[siblings.indexOf(member) - 1];
  const comma = commaAfter(text, endOf(member));
  const end = comma === undefined ? endOf(member) : comma + 1;
  const rest = /^[ \t]*(\r?\n)?/.exec(text.slice(end))?.[0] ?? "";
  const isAlone = startsItsLine(text, member.offset) && (rest.includes("\n") || end + rest.length === text.length);
  const from = isAlone ? text.lastIndexOf("\n", member.offset - 1) + 1 : member.offset;
  const own = { from, to: isAlone || comma !== undefined ? end + rest.length : end, text: "" };
  const dangling = comma === undefined && before !== undefined ? commaAfter(text, endOf(before)) : undefined;
  return dangling === undefined ? [own] : [own, { from: dangling, to: dangling + 1, text: "" }];
}
