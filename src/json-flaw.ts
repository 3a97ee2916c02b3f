import { type ParseError, printParseErrorCode } from "jsonc-parser";

/** Counted from 1, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where a text is no JSON, and what is wrong there as the end of a sentence. */
export interface JsonFlaw extends Position {
  readonly what: string;
}

/** The first of the errors that the parser has found in a file which people write; undefined if there are none. */
export function firstFlaw(text: string, [first]: readonly ParseError[]): JsonFlaw | undefined {
  if (first === undefined) return undefined;
  return { ...positionAt(text, first.offset), what: describe(printParseErrorCode(first.error)) };
}

export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

function describe(code: string): string {
  switch (code) {
    case "InvalidSymbol":
      return "a name or a text must stand in double quotes";
    case "PropertyNameExpected":
      return "the name of a setting, in double quotes, is missing";
    case "ValueExpected":
      return "a value is missing";
    case "ColonExpected":
      return "a colon is missing";
    case "CommaExpected":
      return "a comma is missing";
    case "CloseBraceExpected":
      return "a closing } is missing";
    case "CloseBracketExpected":
      return "a closing ] is missing";
    case "EndOfFileExpected":
      return "the file must end after its first value";
    case "UnexpectedEndOfComment":
      return "this comment has no end";
    case "UnexpectedEndOfString":
      return "this text has no closing quote";
    case "InvalidNumberFormat":
    case "UnexpectedEndOfNumber":
      return "this is not a number";
    case "InvalidUnicode":
    case "InvalidEscapeCharacter":
      return "the backslash begins no known escape; a backslash itself is written as \\\\";
    default:
      return "this character cannot stand here";
  }
}
