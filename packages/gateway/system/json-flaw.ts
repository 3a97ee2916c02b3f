import { type Node, type ParseError, parse, printParseErrorCode } from "jsonc-parser";

/** Where a text is not JSON, and what is wrong there, as the end of a sentence. */
export interface JsonFlaw extends ReturnType<typeof positionAt> {
  readonly what: string;
}

/** By the names of the parser's errors. */
const flaws: Readonly<Record<string, string>> = {
  InvalidSymbol: "a name or string must be in double quotes",
  PropertyNameExpected: "the name of a setting, in double quotes, is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a closing } is missing",
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "the file must end after its first value",
  UnexpectedEndOfComment: "this comment is never closed",
  UnexpectedEndOfString: "this string has no closing quote",
  InvalidNumberFormat: "this is not a number",
  UnexpectedEndOfNumber: "this is not a number",
  InvalidUnicode: "unknown escape sequence; write a backslash as \\\\",
  InvalidEscapeCharacter: "unknown escape sequence; write a backslash as \\\\",
};

/** The first of the parser's errors, in words for the author of the file; undefined without errors. */
export function firstFlaw(text: string, [first]: readonly ParseError[]): JsonFlaw | undefined {
  if (first === undefined) return undefined;
  const what = flaws[printParseErrorCode(first.error)] ?? "unexpected character";
  return { ...positionAt(text, first.offset), what };
}

/** Parses JSON with comments and trailing commas. @throws Error that says where it is not JSON */
export function parseJson(text: string, prefix = ""): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const flaw = firstFlaw(text, errors);
  if (flaw === undefined) return value;
  throw new Error(`${prefix}${flaw.what} (line ${flaw.line}, column ${flaw.column})`);
}

/** The value of a property, or a member of a list. Of several equal keys the last one counts, as in every parser. */
export function childOf({ type, children = [] }: Node, step: PropertyKey): Node | undefined {
  if (type === "array") return children[Number(step)];
  return children.findLast(({ children: [key] = [] }) => key?.value === String(step))?.children?.[1];
}

/** Counted from 1, as editors do. */
export function positionAt(text: string, offset: number) {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
