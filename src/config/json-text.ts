import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** Counted from 1, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export type ValuePath = readonly PropertyKey[];

/** A JSON text in which comments and trailing commas may stand, and where each of its values is. */
export interface JsonText {
  /** Its objects have no prototype. */
  readonly value: unknown;
  /** Where a value begins; for one that is missing, where the object begins that lacks it. */
  positionOf(path: ValuePath): Position;
  /** Where the name before a value begins. */
  nameOf(path: ValuePath): Position;
}

/** The first place where a text is no JSON, and what is wrong there as the end of a sentence. */
export interface JsonFlaw extends Position {
  readonly what: string;
}

const TOO_DEEP = "values are nested too deeply here";

/** Reads a text that people write. */
export function readJsonText(text: string): JsonText | JsonFlaw {
  const flaws: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, flaws, { allowTrailingComma: true });
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown; // the parser calls itself for each level
    return { line: 1, column: 1, what: TOO_DEEP };
  }
  const [first] = flaws;
  if (first !== undefined)
    return { ...positionAt(text, first.offset), what: describe(printParseErrorCode(first.error)) };
  if (root === undefined) return { line: 1, column: 1, what: "there is no value" };
  const tree = root;
  const at = ({ offset }: Node) => positionAt(text, offset);
  return {
    value: getNodeValue(tree),
    positionOf: (path) => at(findNode(tree, path)),
    nameOf: (path) => {
      const { parent } = findNode(tree, path);
      return at(parent?.type === "property" ? (parent.children?.[0] ?? parent) : findNode(tree, path));
    },
  };
}

/** The value at this path, or the nearest around it. Of a name that an object has twice the last counts, as in every JSON. */
function findNode(root: Node, path: ValuePath): Node {
  let node = root;
  for (const step of path) {
    const inner = node.type === "array" ? node.children?.[Number(step)] : findProperty(node, String(step));
    if (inner === undefined) return node;
    node = inner;
  }
  return node;
}

function findProperty({ children = [] }: Node, name: string): Node | undefined {
  return children.findLast(({ children: [key] = [] }) => key?.value === name)?.children?.[1];
}

function positionAt(text: string, offset: number): Position {
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
