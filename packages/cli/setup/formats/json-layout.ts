import { createScanner, type Node } from "jsonc-parser";

/** Values that fit into a line of this length stay in one. */
const MAX_LINE = 100;

export function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

export function startsItsLine(text: string, offset: number): boolean {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return start > 0 && text.slice(start, offset).trim() === "";
}

/** The indentation of one level in the file; two spaces if unknown. */
export function indentUnit(text: string, root: Node | undefined): string {
  for (const node of root === undefined ? [] : containersIn(root)) {
    const outer = indentAt(text, node.offset);
    const child = node.children?.find(({ offset }) => startsItsLine(text, offset));
    const inner = child === undefined ? outer : indentAt(text, child.offset);
    if (inner.length > outer.length && inner.startsWith(outer)) return inner.slice(outer.length);
  }
  return "  ";
}

function containersIn(node: Node): Node[] {
  const here = node.type === "object" || node.type === "array" ? [node] : [];
  return [...here, ...(node.children ?? []).flatMap(containersIn)];
}

/** A value as text. `indent` is that of the line in which it begins. */
export function printJson(value: unknown, unit: string, indent = "", taken = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const line = oneLine(value);
  if (line !== undefined && indent.length + taken + line.length <= MAX_LINE) return line;
  const inner = indent + unit;
  const members = Array.isArray(value)
    ? value.map((each) => `${inner}${printJson(each, unit, inner)}`)
    : Object.entries(value).map(([key, each]) => {
        const name = `${JSON.stringify(key)}: `;
        return `${inner}${name}${printJson(each, unit, inner, name.length)}`;
      });
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${members.join(",\n")}\n${indent}${close}`;
}

/** Simple values on one line; undefined for nested objects, which would be unreadable. */
function oneLine(value: object): string | undefined {
  const isSimple = (each: unknown) =>
    typeof each !== "object" ||
    each === null ||
    (Array.isArray(each) && each.every((item) => typeof item !== "object"));
  if (!Object.values(value).every(isSimple)) return undefined;
  if (Array.isArray(value)) return `[${value.map((each) => JSON.stringify(each)).join(", ")}]`;
  const members = Object.entries(value).map(([key, each]) => {
    const text = Array.isArray(each) ? oneLine(each) : JSON.stringify(each);
    return `${JSON.stringify(key)}: ${text}`;
  });
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** What follows a value. `lineEnd` is the position after its comma and the comments on its line. */
export function following(text: string, offset: number) {
  let comma: number | undefined;
  let lineEnd = offset;
  for (const { kind, at, end } of tokensFrom(text, offset)) {
    if (kind === "line break") break;
    if (kind === "other" || (kind === "comma" && comma !== undefined)) return { comma, lineEnd, endsLine: false };
    if (kind === "comma") comma = at;
    if (kind !== "blanks") lineEnd = end;
  }
  return { comma, lineEnd, endsLine: true };
}

/** The position of the comma after a value, even after comments and line breaks; undefined if there is none. */
export function commaAfter(text: string, offset: number): number | undefined {
  for (const { kind, at } of tokensFrom(text, offset)) {
    if (kind === "comma") return at;
    if (kind === "other") return undefined;
  }
  return undefined;
}

/** The end of the last comment in a range of blanks and comments; undefined if it has none. */
export function lastCommentEnd(text: string, from: number, to: number): number | undefined {
  let last: number | undefined;
  for (const { kind, at, end } of tokensFrom(text, from)) {
    if (at >= to || kind === "other") break;
    if (kind === "comment") last = end;
  }
  return last;
}

/** Keyed by the scanner's `SyntaxKind`, which exists only while its own package is compiled. */
const kinds: Readonly<Partial<Record<number, "comma" | "comment" | "line break" | "blanks">>> = {
  5: "comma",
  12: "comment",
  13: "comment",
  14: "line break",
  15: "blanks",
};
const END = 17;

function* tokensFrom(text: string, from: number) {
  const scanner = createScanner(text);
  scanner.setPosition(from);
  for (let token: number = scanner.scan(); token !== END; token = scanner.scan()) {
    yield { kind: kinds[token] ?? "other", at: scanner.getTokenOffset(), end: scanner.getPosition() };
  }
}
