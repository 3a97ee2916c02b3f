import { ScalarType } from "@bufbuild/protobuf";
import known from "../../packages/wire/descriptors/known-fields.json" with { type: "json" };

type Types = readonly (readonly [string, string])[];

/** Descriptors in the form of those in Cursor's SDK, with all that Curlew knows of them. Tests change them by their text. */
export function writtenBundle(): string {
  const types: Types = [...Object.entries(known.sent), ...Object.entries(known.read)];
  const enums = types.filter(([, list]) => /^\d+ \S+(;|$)/.test(list));
  const messages = types.filter((type) => !enums.includes(type));
  const declared = new Set(types.map(([name]) => name));
  const used = messages.flatMap(([, list]) => list.match(/\b[a-z_]+\.[\w.]+\.[A-Z][\w.]*/g) ?? []);
  const empty = [...new Set(used)].filter((name) => !declared.has(name)).map((name) => [name, ""] as const);
  const foreign = empty.filter(([name]) => name.startsWith("google.protobuf."));
  const own = [...messages, ...empty.filter((type) => !foreign.includes(type))];
  const names = new Set([...types, ...own].map(([name]) => packageOf(name)));
  return [
    `import{${foreign.map(([name]) => `${name.slice("google.protobuf.".length)} as ${word(name)}`)}}from"@bufbuild/protobuf";var `,
    ...[...names].map((name) => `${word(name)}="${name}",`),
    "x;",
    ...[...names].map((name) => `b${word(name)}=class b${word(name)} extends M{static $p(){return ${word(name)}}};`),
    ...enums.map(
      ([name, list]) => `${word(name)}=d(p,${word(packageOf(name))},"${ownName(name)}",[${valuesOf(list)}]);`,
    ),
    ...own.map(([name, list]) => messageOf(name, list)),
  ].join("");
}

function messageOf(name: string, list: string): string {
  const types: string[] = [];
  const typeOf = (type: string) => {
    const scalar = Object.entries(ScalarType).find(([each]) => each.toLowerCase() === type);
    return scalar === undefined ? `#${types.push(word(type)) - 1}` : String(scalar[1]);
  };
  const fields = list.split("; ").flatMap((item) => {
    const [, number, label = "", key, type, field, oneof = ""] = FIELD.exec(item) ?? [];
    if (item === "" || item === "*") return [];
    if (type === undefined) return [`${item} left_out_${item} 9`];
    const mark = { "": "", "optional ": "?", "repeated ": "*", "map ": "" }[label] ?? "";
    return [
      `${number} ${field} ${key === undefined ? "" : `${typeOf(key)},`}${typeOf(type)}${mark}${oneof && ` ${oneof}`}`,
    ];
  });
  const line = [ownName(name), ...fields].join("|");
  return `${word(name)}=class ${word(name)} extends b${word(packageOf(name))}{static $(){return["${line}"${types.map((each) => `,${each}`).join("")}]}};`;
}

const FIELD = /^(\d+) (optional |repeated |map |)(?:(\w+), )?(\S+) (\w+)(?: in (\w+))?$/;

function valuesOf(list: string): string[] {
  const items = list.split("; ").filter((item) => item !== "*");
  return items.map((item) => item.replace(/^(\d+) ?(.*)/, (_, number, name) => `[${number},"${name || "LEFT_OUT"}"]`));
}

function packageOf(name: string): string {
  return /^[a-z_.]+\.v\d+\./.exec(name)?.[0] ?? "";
}

function ownName(name: string): string {
  return name.slice(packageOf(name).length);
}

function word(name: string): string {
  return name.replace(/\W/g, "_");
}
