// The descriptors in the bundled JavaScript of Cursor's package, read as text: none of it runs. Each module names its package in a
// constant, each message is a class that returns one line of its fields and the classes of their types:
//   var p="agent.v1.",A,B;A=class A extends X{static $p(){return p}};B=class B extends A{static $(){return["Name|1 id 9|2 kind #0?",C]}}
// A field's type is the number of a scalar or #INDEX into the classes, for maps after a comma; then ? or * or the name of its oneof.
import type { ScalarType } from "@bufbuild/protobuf";
import { type Field, type Schema, scalarName } from "./schema.js";

const WORD = String.raw`[\w$]+`;
const PARTS = new RegExp(
  [
    String.raw`import\{(?<imports>[^}]*)\}from"@bufbuild/protobuf"`,
    String.raw`(?<constant>${WORD})="(?<text>[a-z_]+\.v\d+\.)"`,
    String.raw`class (?<name>${WORD}) extends (?<base>${WORD})\{`,
    String.raw`static \$p\(\)\{return (?<ownPackage>${WORD})\}`,
    String.raw`static \$\(\)\{return\["(?<line>[^"]*)"(?<types>[^\]]*)\]\}`,
    String.raw`(?<choice>${WORD})=${WORD}\(${WORD},(?<choicePackage>${WORD}),"(?<choiceName>[\w.]+)",` +
      String.raw`\[(?<values>(?:\[[-\de]+,"\w+"\],?)+)\](?<form>,1)?`,
    String.raw`typeName:"(?<service>[\w.]+)",methods:\{`,
    String.raw`\{name:"(?<method>\w+)",I:(?<input>${WORD}),O:(?<output>${WORD}),kind:`,
  ].join("|"),
  "g",
);

interface Declared {
  readonly base: string;
  readonly line: string;
  readonly types: readonly string[];
}

/** @throws Error when something is declared in another form: what is left unread must not look like what is gone. */
export function readBundle(text: string): Schema {
  const constants = new Map<string, string>();
  const packages = new Map<string, string>();
  const declared = new Map<string, Declared>();
  const choices = new Map<string, { owner: string; name: string; values: Map<number, string> }>();
  const methods = new Map<string, { input: string; output: string }>();
  const known = new Map<string, string>();
  let current = { name: "", base: "" };
  let service = "";
  for (const { groups: part = {} } of text.matchAll(PARTS)) {
    if (part.imports !== undefined) for (const [name, type] of importsOf(part.imports)) known.set(name, type);
    if (part.constant !== undefined) constants.set(part.constant, part.text ?? "");
    if (part.name !== undefined) current = { name: part.name, base: part.base ?? "" };
    if (part.ownPackage !== undefined) packages.set(current.name, part.ownPackage);
    if (part.line !== undefined)
      declared.set(current.name, { base: current.base, line: part.line, types: wordsOf(part.types ?? "") });
    if (part.choice !== undefined)
      choices.set(part.choice, {
        owner: part.choicePackage ?? "",
        name: part.choiceName ?? "",
        values: valuesOf(part.values ?? "", part.form === undefined ? "" : prefixOf(part.choiceName ?? "")),
      });
    if (part.service !== undefined) service = part.service;
    if (part.method !== undefined)
      methods.set(`${service}/${part.method}`, { input: part.input ?? "", output: part.output ?? "" });
  }
  const found = declared.size;
  const expected = text.match(/static \$\(\)\{/g)?.length ?? 0;
  if (found === 0 || found !== expected) throw new Error(`${found} of ${expected} messages can be read`);

  const enums = new Map<string, Map<number, string>>();
  for (const [word, { owner, name, values }] of choices) {
    const packageName = constants.get(owner);
    if (packageName === undefined) continue; // a call of another function
    known.set(word, packageName + name);
    enums.set(packageName + name, values);
  }
  for (const [word, { base, line }] of declared) {
    const [name = ""] = line.split("|");
    known.set(word, mustFind(constants, mustFind(packages, base)) + name);
  }
  const messages = new Map<string, Map<number, Field>>();
  for (const [word, { line, types }] of declared) {
    const fields = line.split("|").slice(1);
    const read = fields.map((field) => fieldOf(field, (index) => mustFind(known, types[index] ?? line)));
    messages.set(mustFind(known, word), new Map(read));
  }
  const named = [...methods].map(([method, { input, output }]): [string, { input: string; output: string }] => [
    method,
    { input: mustFind(known, input), output: mustFind(known, output) },
  ]);
  return { messages, enums, methods: new Map(named) };
}

function fieldOf(field: string, typeAt: (index: number) => string): [number, Field] {
  const match = /^(?<number>\d+) (?<name>\w+) (?:(?<key>\d+),)?(?<type>#?\d+)(?<mark>[?*])?(?: (?<oneof>\w+))?$/.exec(
    field,
  );
  if (match?.groups === undefined) throw new Error(`this field cannot be read: ${field}`);
  const { number, name = "", key, type = "", mark, oneof = "" } = match.groups;
  const value = type.startsWith("#") ? typeAt(Number(type.slice(1))) : scalar(type);
  if (key !== undefined) return [Number(number), { name, type: `${scalar(key)}, ${value}`, label: "map", oneof }];
  const label = mark === "?" ? "optional" : mark === "*" ? "repeated" : "";
  return [Number(number), { name, type: value, label, oneof }];
}

function scalar(number: string): string {
  const type: ScalarType = Number(number);
  return scalarName(type);
}

/** `Message as A,Value as B`: only the types are of use, the rest does no harm. */
function importsOf(list: string): [string, string][] {
  return list.split(",").map((each) => {
    const [type = "", name = type] = each.split(" as ");
    return [name, `google.protobuf.${type}`];
  });
}

function wordsOf(list: string): string[] {
  return list.split(",").filter((word) => word !== "");
}

function valuesOf(list: string, prefix: string): Map<number, string> {
  const values = list.matchAll(/\[(?<number>[-\de]+),"(?<name>\w+)"\]/g);
  return new Map([...values].map(({ groups }) => [Number(groups?.number), `${prefix}${groups?.name}`]));
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
