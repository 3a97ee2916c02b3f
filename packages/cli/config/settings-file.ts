import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { didYouMean } from "@curlew/gateway/system/closest.js";
import { childOf, firstFlaw, positionAt } from "@curlew/gateway/system/json-flaw.js";
import { getNodeValue, type Node, type ParseError, parseTree } from "jsonc-parser";
import { SettingsError, type SettingsFault } from "./settings-error.js";
import { isSettingName, settingNames, settingsTable, variablesOf } from "./table.js";

/** Editors find the JSON Schema of the file by this key. */
export const SCHEMA_KEY = "$schema";

const MAX_BYTES = 1024 * 1024;

export type SettingsFile = ReturnType<typeof parseSettingsFile>;

/** Reads curlew.json; undefined if it is missing and optional. @throws {SettingsError} It is unreadable, or not an object. */
export function readSettingsFile(path: string, { mustExist }: { mustExist: boolean }): SettingsFile | undefined {
  let content: string;
  try {
    content = readBounded(path, MAX_BYTES);
  } catch (thrown) {
    if (thrown instanceof SettingsError) throw thrown;
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
    if (!mustExist && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    const why = code === "ENOENT" ? "does not exist" : `cannot be read (${String(code ?? thrown)})`;
    throw new SettingsError(`${path} ${why}.`, { cause: thrown });
  }
  return parseSettingsFile(path, content);
}

export function parseSettingsFile(path: string, content: string) {
  const text = readJsonText(content);
  if ("what" in text) {
    const { line, column, what } = text;
    throw new SettingsError([{ message: `${path}:${line}:${column}: ${what}.`, file: path, line, column }]);
  }
  const { value } = text;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const message = `${path} must hold one JSON object, such as {"port": 32124}.`;
    throw new SettingsError([{ message, file: path, ...text.positionOf([]) }]);
  }
  const values: Readonly<Record<string, unknown>> = Object.assign(Object.create(null), value);
  return { path, text, values };
}

export function strangeNames({ path, text, values }: SettingsFile): SettingsFault[] {
  return Object.keys(values).flatMap((name) => {
    const problem = problemWith(name);
    if (problem === undefined) return [];
    const { line, column } = text.nameOf([name]);
    return [{ message: `${path}:${line}:${column}: ${problem}`, setting: name, file: path, line, column }];
  });
}

function problemWith(name: string): string | undefined {
  if (name === SCHEMA_KEY) return undefined;
  const names = settingNames.filter((each) => settingsTable[each].only !== "environment");
  if (!isSettingName(name)) {
    const hint = didYouMean(name, names) || ` The settings are: ${names.join(", ")}.`;
    return `${name} is not a setting.${hint}`;
  }
  const { only, isSecret } = settingsTable[name];
  if (only !== "environment") return undefined;
  const [variable] = variablesOf(name, settingsTable[name]);
  const why = isSecret ? "is a secret and must not be in this file" : "cannot be set in this file";
  return `${name} ${why}; set ${variable} instead.`;
}

/** The text of a file without its byte order mark. Counts bytes: a pipe has no size. @throws {SettingsError} It is larger. */
export function readBounded(path: string, maxBytes: number): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.allocUnsafe(maxBytes + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length <= maxBytes; length += count) {
      count = readSync(file, bytes, length, bytes.length - length, null);
    }
    if (length > maxBytes) throw new SettingsError(`${path} is larger than ${maxBytes} bytes.`);
    return bytes.toString("utf8", 0, length).replace(/^\uFEFF/, "");
  } finally {
    closeSync(file);
  }
}

const READABLE_BY_OTHERS = 0o004;

/** The gateway key in a file. Like ssh, it refuses a file that every user can read: a warning would be seen once. */
export function readKeyFile(path: string, name: string, platform: NodeJS.Platform): { key: string } | SettingsFault {
  let key: string;
  let mode: number;
  try {
    ({ mode } = statSync(path));
    key = readFileSync(path, "utf8").trim();
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : thrown;
    return { message: `${name} names ${path}, which cannot be read (${String(code)}).`, setting: "keyFile" };
  }
  // Windows keeps its permissions elsewhere; the mode says nothing there.
  if (platform !== "win32" && (mode & READABLE_BY_OTHERS) !== 0) {
    const message = `${name} names ${path}, which every user of this machine can read. Run: chmod 600 ${path}`;
    return { message, setting: "keyFile" };
  }
  return { key };
}

export type ValuePath = readonly PropertyKey[];

/** Parses JSON with comments and trailing commas, and locates each of its values; or says what is wrong in it. */
function readJsonText(text: string) {
  const flaws: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, flaws, { allowTrailingComma: true });
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown; // the parser is recursive
    return { line: 1, column: 1, what: "values are nested too deeply here" };
  }
  const flaw = firstFlaw(text, flaws);
  if (flaw !== undefined) return flaw;
  if (root === undefined) return { line: 1, column: 1, what: "there is no value" };
  const tree = root;
  const at = ({ offset }: Node) => positionAt(text, offset);
  return {
    value: getNodeValue(tree),
    /** Where a value begins; for a missing one, where the object around it begins. */
    positionOf: (path: ValuePath) => at(findNode(tree, path)),
    nameOf: (path: ValuePath) => {
      const { parent } = findNode(tree, path);
      return at(parent?.type === "property" ? (parent.children?.[0] ?? parent) : findNode(tree, path));
    },
  };
}

/** The value at this path, or the nearest around it. */
function findNode(root: Node, path: ValuePath): Node {
  let node = root;
  for (const step of path) {
    const inner = childOf(node, step);
    if (inner === undefined) return node;
    node = inner;
  }
  return node;
}
