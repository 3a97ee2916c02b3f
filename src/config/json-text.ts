import { getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser";
import { firstFlaw, type JsonFlaw, type Position, positionAt } from "../json-flaw.js";

export type ValuePath = readonly PropertyKey[];

/** A JSON text in which comments and trailing commas may stand, and where each of its values is. */
export interface JsonText {
  readonly value: unknown;
  /** Where a value begins; for one that is missing, where the object begins that lacks it. */
  positionOf(path: ValuePath): Position;
  /** Where the name before a value begins. */
  nameOf(path: ValuePath): Position;
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
  const flaw = firstFlaw(text, flaws);
  if (flaw !== undefined) return flaw;
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
