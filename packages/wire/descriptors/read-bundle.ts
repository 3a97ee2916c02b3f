// The descriptors in the bundled JavaScript of Cursor's package, read as text: none of it runs. Each module names its package in a
// constant, each message is a class that returns one line of its fields and the classes of their types:
//   var p="agent.v1.",A,B;A=class A extends X{static $p(){return p}};B=class B extends A{static $(){return["Name|1 id 9|2 kind #0?",C]}}
// A field's type is the number of a scalar or #INDEX into the classes, for maps after a comma; then ? or * or the name of its oneof.
import { ScalarType } from "@bufbuild/protobuf";

/** What a program of Cursor's declares. */
export interface Descriptors {
  /** Messages and enums by full name; fields and values by number: `optional string title`, `string text in content`, `KIND_UNSPECIFIED`. */
  readonly types: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** `service/method` to its two messages. */
  readonly methods: ReadonlyMap<string, { readonly input: string; readonly output: string }>;
}

const CLASS = /^([\w$]+) extends ([\w$]+)\{/;
const FIELD = /^(\d+) (\w+) (?:(\d+),)?(#?)(\d+)([?*])?(?: (\w+))?$/;
/** Several times the size of the SDK's. */
export const MAX_BUNDLE_BYTES: number = 16 * 1024 * 1024;
/** How far the words reach that stand before or behind the text at which a file is cut. */
const NEAR_CHARS = 600;

/**
 * The file is cut at fixed texts, so that any file is read in linear time.
 * @throws Error when something is declared in another form: what is left unread must not look like what is gone.
 */
export function readBundle(text: string): Descriptors {
  if (text.length > MAX_BUNDLE_BYTES) throw new Error("the file is larger than 16 MiB");
  const names = new Map(text.split("import{").flatMap((piece) => importsOf(piece)));
  const packages = new Map<string, string>();
  for (const [before, after] of around(text, '="')) {
    const [, name] = /^([a-z_]+\.v\d+\.)"/.exec(after) ?? [];
    if (name !== undefined) packages.set(before.at(-1) ?? "", name);
  }
  const types = new Map<string, Map<string, string>>();
  for (const [before, after] of around(text, ",[[")) {
    const [word = "", , , owner = "", name = ""] = before.slice(-5);
    const packageName = packages.get(owner);
    if (packageName === undefined) continue; // another list, or a call of another function
    const end = after.indexOf("]]");
    const prefix = after.startsWith("]],1)", end) ? prefixOf(name) : "";
    names.set(word, packageName + name);
    types.set(packageName + name, valuesOf(after.slice(0, end), prefix));
  }
  const packageOf = new Map<string, string>();
  const declared: { word: string; base: string; line: string; words: string[] }[] = [];
  let [word, base] = ["", ""];
  for (const piece of text.split("=class ")) {
    [, word, base] = CLASS.exec(piece) ?? ["", word, base];
    const own = between(piece, "static $p(){return ", "}");
    if (own !== undefined) packageOf.set(word, own);
    const [line, words = ""] = between(piece, 'static $(){return["', "]}")?.split('"') ?? [];
    if (line !== undefined) declared.push({ word, base, line, words: words.split(",").slice(1) });
  }
  const expected = text.split("static $(){").length - 1;
  if (expected === 0 || declared.length !== expected)
    throw new Error(`${declared.length} of ${expected} messages can be read`);
  for (const { word, base, line } of declared)
    names.set(word, mustFind(packages, mustFind(packageOf, base)) + line.split("|", 1)[0]);
  for (const { word, line, words } of declared) {
    const fields = line.split("|").slice(1);
    types.set(mustFind(names, word), new Map(fields.map((field) => fieldOf(field, words, names))));
  }
  const methods = text.split('typeName:"').flatMap((piece) => {
    const [service] = piece.split('",methods:{', 1);
    return Array.from(around(between(piece, '",methods:{', "}}") ?? "", '{name:"'), ([, after]) => {
      const [name, , input = "", , output = ""] = wordsOf(after.slice(0, NEAR_CHARS));
      return [`${service}/${name}`, { input: mustFind(names, input), output: mustFind(names, output) }] as const;
    });
  });
  return { types, methods: new Map(methods) };
}

/** Each place with this text: the words before it, and what follows up to the next one. */
function* around(text: string, mark: string): Generator<readonly [string[], string]> {
  let before: string | undefined;
  for (const piece of text.split(mark)) {
    if (before !== undefined) yield [wordsOf(before.slice(-NEAR_CHARS)), piece];
    before = piece;
  }
}

function wordsOf(text: string): string[] {
  return text.split(/[^\w$.]/).filter((word) => word !== "");
}

function between(text: string, start: string, end: string): string | undefined {
  const from = text.indexOf(start) + start.length;
  const to = text.indexOf(end, from);
  return from < start.length || to < 0 ? undefined : text.slice(from, to);
}

function fieldOf(text: string, words: readonly string[], names: ReadonlyMap<string, string>): [string, string] {
  const match = FIELD.exec(text);
  if (match === null) throw new Error(`this field cannot be read: ${text.slice(0, 200)}`);
  const [, number = "", name, key, isNamed, at, mark = "", oneof] = match;
  const type = isNamed ? mustFind(names, words[Number(at)] ?? text) : scalarName(Number(at));
  const label = key === undefined ? labels[mark] : `map ${scalarName(Number(key))}, `;
  return [number, `${label}${type} ${name}${oneof === undefined ? "" : ` in ${oneof}`}`];
}

const labels: Readonly<Record<string, string>> = { "": "", "?": "optional ", "*": "repeated " };

export function scalarName(type: ScalarType): string {
  return (ScalarType[type] ?? `scalar ${type}`).toLowerCase();
}

/** What follows `import{`: `Message as A,Value as B}from"@bufbuild/protobuf"`. Only the types are of use. */
function importsOf(text: string): [string, string][] {
  const end = text.indexOf("}");
  if (!text.startsWith('}from"@bufbuild/protobuf"', end)) return [];
  return text
    .slice(0, end)
    .split(",")
    .map((each) => {
      const [type = "", name = type] = each.split(" as ");
      return [name, `google.protobuf.${type}`];
    });
}

/** `0,"NONE"],[1,"ONE"` */
function valuesOf(list: string, prefix: string): Map<string, string> {
  return new Map(
    list.split("],[").map((value) => {
      const [number = "", name = ""] = value.split(",");
      return [number, prefix + name.replaceAll('"', "")];
    }),
  );
}

/** What the values of an enum begin with: EXIT_STATUS_ of `Shell.ExitStatus`. */
function prefixOf(name: string): string {
  const own = name.slice(name.lastIndexOf(".") + 1);
  return `${own.replace(/(?!^)[A-Z]/g, "_$&").toUpperCase()}_`;
}

function mustFind<Value>(map: ReadonlyMap<string, Value>, key: string): Value {
  const found = map.get(key);
  if (found === undefined) throw new Error(`${key.slice(0, 200)} is used, but not declared in a form that can be read`);
  return found;
}
