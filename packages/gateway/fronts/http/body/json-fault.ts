import { visit } from "jsonc-parser";
import { positionAt } from "../../../system/json-flaw.js";

const literals = ["true", "false", "null"];

/**
 * Finds the first fault of a text that `JSON.parse` has refused: its own message quotes the text, which may be a prompt. With
 * `isCut`, the text merely ends too early. The text must not be nested deeper than bodies may be.
 */
export function findJsonFault(text: string) {
  const token = firstBadToken(text);
  const offset = isBroken(text, token.offset) ? breakOf(text, token) : token.offset;
  return { offset, ...positionAt(text, offset), isCut: offset === text.length };
}

interface Token {
  readonly offset: number;
  readonly length: number;
}

/** Stops the parser there: it is recursive, and the depth is known to be limited only up to the first fault. */
function firstBadToken(text: string): Token {
  const found: Token[] = [];
  const onError = (_: unknown, offset: number, length: number) => {
    found.push({ offset, length });
    throw new Error("stopped");
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (thrown) {
    if (found.length === 0) throw thrown;
  }
  return found[0] ?? { offset: text.length, length: 0 };
}

/** Whether a token is malformed. If a valid token would be refused here too, the fault is its position. */
function isBroken(text: string, offset: number): boolean {
  const first = text.charAt(offset);
  if (!/["\-\dtfn]/.test(first)) return false;
  const whole = first === '"' ? '""' : "[]";
  return firstBadToken(text.slice(0, offset) + whole).offset > offset;
}

/** The position at which a token deviates from the type that its first character announces. */
function breakOf(text: string, { offset, length }: Token): number {
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
