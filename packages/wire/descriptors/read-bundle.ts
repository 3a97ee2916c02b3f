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

const WORD = String.raw`([\w$]+)`;
const IMPORT = /import\{([^}]*)\}from"@bufbuild\/protobuf"/g;
const PACKAGE = new RegExp(String.raw`${WORD}="([a-z_]+\.v\d+\.)"`, "g");
const ENUM = new RegExp(String.raw`${WORD}=[\w$]+\([\w$]+,${WORD},"([\w.]+)",\[((?:\[[-\de]+,"\w+"\],?)+)\](,1)?`, "g");
const CLASS = new RegExp(String.raw`^${WORD} extends ${WORD}\{`);
const OWN_PACKAGE = new RegExp(String.raw`static \$p\(\)\{return ${WORD}\}`);
const FIELDS = /static \$\(\)\{return\["([^"]*)"([^\]]*)\]\}/;
const SERVICE = /typeName:"([\w.]+)",methods:\{/;
const METHOD = new RegExp(String.raw`\{name:"(\w+)",I:${WORD},O:${WORD},kind:`, "g");
const FIELD = /^(\d+) (\w+) (?:(\d+),)?(#?)(\d+)([?*])?(?: (\w+))?$/;

/** @throws Error when something is declared in another form: what is left unread must not look like what is gone. */
export function readBundle(text: string): Descriptors {
  const packages = new Map(groupsOf(text, PACKAGE).map(([word = "", name = ""]) => [word, name]));
  const names = new Map(groupsOf(text, IMPORT).flatMap(([list = ""]) => importsOf(list)));
  const types = new Map<string, Map<string, string>>();
  for (const [word = "", owner = "", name = "", values = "", isShort] of groupsOf(text, ENUM)) {
    const packageName = packages.get(owner);
    if (packageName === undefined) continue; // a call of another function
    names.set(word, packageName + name);
    types.set(packageName + name, valuesOf(values, isShort === undefined ? "" : prefixOf(name)));
  }
  const pieces = text.split(/class (?=[\w$]+ extends )/);
  const packageOf = new Map<string, string>();
  const declared: { word: string; base: string; line: string; words: string[] }[] = [];
  for (const piece of pieces) {
    const [, word = "", base = ""] = CLASS.exec(piece) ?? [];
    const own = OWN_PACKAGE.exec(piece)?.[1];
    if (own !== undefined) packageOf.set(word, own);
    const [, line, words = ""] = FIELDS.exec(piece) ?? [];
    if (line !== undefined) declared.push({ word, base, line, words: words.split(",").slice(1) });
  }
  const expected = text.split("static $(){").length - 1;
  if (expected === 0 || declared.length !== expected)
    throw new Error(`${declared.length} of ${expected} messages can be read`);
  for (const { word, base, line } of declared)
    names.set(word, mustFind(packages, mustFind(packageOf, base)) + line.replace(/\|.*/, ""));
  for (const { word, line, words } of declared) {
    const fields = line.split("|").slice(1);
    types.set(mustFind(names, word), new Map(fields.map((field) => fieldOf(field, words, names))));
  }
  const methods = text.split(/(?=typeName:")/).flatMap((piece) => {
    const service = SERVICE.exec(piece)?.[1];
    if (service === undefined) return [];
    return groupsOf(piece, METHOD).map(([name, input = "", output = ""]) => {
      return [`${service}/${name}`, { input: mustFind(names, input), output: mustFind(names, output) }] as const;
    });
  });
  return { types, methods: new Map(methods) };
}

function groupsOf(text: string, pattern: RegExp): (string | undefined)[][] {
  return Array.from(text.matchAll(pattern), ([, ...groups]) => groups);
}

function fieldOf(text: string, words: readonly string[], names: ReadonlyMap<string, string>): [string, string] {
  const match = FIELD.exec(text);
  if (match === null) throw new Error(`this field cannot be read: ${text}`);
  const [, number = "", name, key, isNamed, at, mark = "", oneof] = match;
  const type = isNamed ? mustFind(names, words[Number(at)] ?? text) : scalarName(Number(at));
  const label = key === undefined ? labels[mark] : `map ${scalarName(Number(key))}, `;
  return [number, `${label}${type} ${name}${oneof === undefined ? "" : ` in ${oneof}`}`];
}

const labels: Readonly<Record<string, string>> = { "": "", "?": "optional ", "*": "repeated " };

export function scalarName(type: ScalarType): string {
  return (ScalarType[type] ?? `scalar ${type}`).toLowerCase();
}

/** `Message as A,Value as B`: only the types are of use, the rest does no harm. */
function importsOf(list: string): [string, string][] {
  return list.split(",").map((each) => {
    const [type = "", name = type] = each.split(" as ");
    return [name, `google.protobuf.${type}`];
  });
}

function valuesOf(list: string, prefix: string): Map<string, string> {
  return new Map(groupsOf(list, /\[([-\de]+),"(\w+)"\]/g).map(([number = "", name]) => [number, prefix + name]));
}

/** What the values of an enum begin with: EXIT_STATUS_ of `Shell.ExitStatus`. */
function prefixOf(name: string): string {
  const own = name.slice(name.lastIndexOf(".") + 1);
  return `${own.replace(/(?!^)[A-Z]/g, "_$&").toUpperCase()}_`;
}

function mustFind<Value>(map: ReadonlyMap<string, Value>, key: string): Value {
  const found = map.get(key);
  if (found === undefined) throw new Error(`${key} is used, but not declared in a form that can be read`);
  return found;
}
