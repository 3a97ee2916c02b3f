import { type Node, type ParseError, parse, printParseErrorCode } from "jsonc-parser";

/** Where a text is no JSON, and what is wrong there as the end of a sentence. */
export interface JsonFlaw extends ReturnType<typeof positionAt> {
  readonly what: string;
}

/** By the names of the parser's errors. */
const flaws: Readonly<Record<string, string>> = {
  InvalidSymbol: "a name or a text must stand in double quotes",
  PropertyNameExpected: "the name of a setting, in double quotes, is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a closing } is missing",
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "the file must end after its first value",
  UnexpectedEndOfComment: "this comment has no end",
  UnexpectedEndOfString: "this text has no closing quote",
  InvalidNumberFormat: "this is not a number",
  UnexpectedEndOfNumber: "this is not a number",
  InvalidUnicode: "the backslash begins no known escape; a backslash itself is written as \\\\",
  InvalidEscapeCharacter: "the backslash begins no known escape; a backslash itself is written as \\\\",
};

/** The first of the errors that the parser has found in a file which people write; undefined if there are none. */
export function firstFlaw(text: string, [first]: readonly ParseError[]): JsonFlaw | undefined {
  if (first === undefined) return undefined;
  const what = flaws[printParseErrorCode(first.error)] ?? "this character cannot stand here";
  return { ...positionAt(text, first.offset), what };
}

/** The value of a JSON text in which comments and trailing commas may stand. @throws Error that says where it is no JSON */
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
