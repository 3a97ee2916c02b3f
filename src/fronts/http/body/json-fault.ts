import { visit } from "jsonc-parser";
import { MAX_JSON_DEPTH } from "../../../turn/request-limits.js";

export interface JsonFault {
  offset: number;
  line: number;
  column: number;
  /** True if the only fault is that the text ends too early. */
  isCut: boolean;
}

const literals = ["true", "false", "null"];

/** The first fault of a text that `JSON.parse` has refused, whose own message quotes the text, which may be a prompt. */
export function findJsonFault(text: string): JsonFault {
  const token = firstBadToken(text);
  const offset = isBroken(text, token.offset) ? breakOf(text, token) : token.offset;
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  const line = before.split("\n").length;
  return { offset, line, column: offset - lineStart + 1, isCut: offset === text.length };
}

class BadToken extends Error {
  readonly offset: number;
  readonly length: number;

  constructor(offset: number, length: number) {
    super();
    this.offset = offset;
    this.length = length;
  }
}

function firstBadToken(text: string): Pick<BadToken, "offset" | "length"> {
  let depth = 0;
  const open = (offset: number, length: number) => {
    // The parser calls itself for each level. Bodies that are nested deeper are refused before the search for faults.
    if (++depth > MAX_JSON_DEPTH) throw new BadToken(offset, length);
  };
  const close = () => {
    depth--;
  };
  const onError = (_: unknown, offset: number, length: number) => {
    throw new BadToken(offset, length);
  };
  const containers = { onObjectBegin: open, onArrayBegin: open, onObjectEnd: close, onArrayEnd: close };
  try {
    visit(text, { ...containers, onError }, { disallowComments: true });
  } catch (thrown) {
    if (thrown instanceof BadToken) return thrown;
    throw thrown;
  }
  return { offset: text.length, length: 0 };
}

/** Whether a token is wrong in itself. If a valid token would be wrong here too, the fault is that there is a token at all. */
function isBroken(text: string, offset: number): boolean {
  const first = text.charAt(offset);
  if (!/["\-\dtfn]/.test(first)) return false;
  const whole = first === '"' ? '""' : "[]";
  return firstBadToken(text.slice(0, offset) + whole).offset > offset;
}

/** The position at which a token stops being what its first character promises. */
function breakOf(text: string, { offset, length }: Pick<BadToken, "offset" | "length">): number {
  const first = text.charAt(offset);
  if (first === '"') return breakOfString(text, offset);
  if (/[-\d]/.test(first)) return offset + length;
  const literal = literals.find((word) => word[0] === first) ?? "";
  let at = offset;
  while (at - offset < literal.length && text[at] === literal[at - offset]) at++;
  return at;
}

function breakOfString(text: string, start: number): number {
  const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{0,4})?/y;
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) >= 0x20) {
    escaped.lastIndex = at;
    const [found] = escaped.exec(text) ?? [];
    at += found?.length ?? 1;
    if (found !== undefined && found.length < (found[1] === "u" ? 6 : 2)) break;
  }
  return at;
}
