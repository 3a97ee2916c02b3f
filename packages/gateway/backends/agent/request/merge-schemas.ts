import { isDeepStrictEqual } from "node:util";

import { isObject, type JsonObject } from "../../../turn/read-json.js";

/** Keywords that limit values of one type and depend on each other. */
const groups = {
  object: words(
    "properties required additionalProperties patternProperties propertyNames minProperties maxProperties",
    "dependentRequired dependentSchemas dependencies",
  ),
  array: words("items prefixItems additionalItems contains minContains maxContains minItems maxItems uniqueItems"),
  string: words("minLength maxLength pattern format"),
  number: words("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"),
};

/** The limit of properties times branches in a union; beyond it, the result allows anything. */
const MAX_UNITED = 20_000;

type Group = keyof typeof groups;
const groupNames = Object.keys(groups) as Group[];

/** A schema that accepts every value of any branch, and perhaps more. No branch has a combinator or a reference at its top. */
export function unite(branches: readonly JsonObject[]): JsonObject {
  const [first, ...others] = branches;
  if (first === undefined) return {};
  if (others.every((other) => isDeepStrictEqual(other, first))) return first;
  const united: Record<string, unknown> = {};
  const types = branches.map(typesOf);
  const values = branches.map(valuesOf);
  if (types.every((each) => each !== undefined)) {
    const all = distinct(types.flat());
    united.type = all.length === 1 ? all[0] : all;
  }
  if (values.every((each) => each !== undefined)) united.enum = distinct(values.flat());
  for (const group of groupNames) {
    const able = branches.filter(
      (_, at) => types[at]?.some((type) => (type === "integer" ? "number" : type) === group) ?? true,
    );
    if (able.length === 1) Object.assign(united, pick(able[0] ?? {}, group));
    else if (able.length > 1) Object.assign(united, common[group]?.(able));
  }
  return united;
}

/** A schema that accepts every value that fits both, and perhaps more. Where they disagree, the first wins. */
export function intersect(first: JsonObject, second: JsonObject): JsonObject {
  const both: Record<string, unknown> = { ...first };
  for (const keyword of ["type", "enum", "const", "description"]) take(both, second, keyword);
  for (const group of groupNames) {
    if (group === "object") intersectObjects(both, first, second);
    else if (!groups[group].some((keyword) => Object.hasOwn(first, keyword))) Object.assign(both, pick(second, group));
  }
  return both;
}

function intersectObjects(both: Record<string, unknown>, first: JsonObject, second: JsonObject): void {
  // Without its patterns, a closed schema would refuse the properties that they allow.
  const arePatternsLost = second.patternProperties !== undefined && first.patternProperties !== undefined;
  for (const keyword of groups.object) {
    if (keyword !== "additionalProperties" || !arePatternsLost) take(both, second, keyword);
  }
  const properties = { ...namedIn(second), ...namedIn(first) };
  // The result declares the properties of both, so it can only get wider.
  if (Object.keys(properties).length > 0) both.properties = properties;
  const required = distinct([...requiredIn(first), ...requiredIn(second)]);
  if (required.length > 0) both.required = required;
}

/** What several branches of one type have in common. Their other limits are dropped. */
const common: Partial<Record<Group, (branches: readonly JsonObject[]) => JsonObject>> = {
  object(branches) {
    const names = distinct(branches.flatMap((branch) => Object.keys(namedIn(branch))));
    if (names.length * branches.length > MAX_UNITED) return {};
    const properties = Object.fromEntries(names.map((name) => [name, uniteNamed(branches, name)]));
    const [some = [], ...others] = branches.map(requiredIn);
    const sets = others.map((list) => new Set(list));
    const required = some.filter((name) => sets.every((set) => set.has(name)));
    return {
      ...(names.length > 0 && { properties }),
      ...(required.length > 0 && { required }),
      ...(branches.every(isClosed) && { additionalProperties: false }),
    };
  },
  array(branches) {
    const isPlain = (branch: JsonObject) => isObject(branch.items) && !("prefixItems" in branch);
    if (!branches.every(isPlain)) return {};
    return { items: uniteValues(branches.map(({ items }) => items)) };
  },
};

/** An open branch without the property accepts anything there, a closed one nothing. */
function uniteNamed(branches: readonly JsonObject[], name: string): JsonObject {
  const named = branches.map((branch) => (Object.hasOwn(namedIn(branch), name) ? namedIn(branch)[name] : undefined));
  const isOpen = branches.some((branch, at) => named[at] === undefined && !isClosed(branch));
  const known = named.filter((each) => each !== undefined);
  return isOpen ? described(known) : uniteValues(known);
}

function uniteValues(schemas: readonly unknown[]): JsonObject {
  const [first] = schemas;
  if (isObject(first) && schemas.every((each) => isDeepStrictEqual(each, first))) return first;
  const able = schemas.filter((each) => each !== false);
  const plain = able.filter((each): each is JsonObject => isObject(each) && !("$ref" in each));
  return plain.length === able.length ? unite(plain) : described(able);
}

/** A schema that allows anything, with a description of these for the model to read. */
function described(schemas: readonly unknown[]): JsonObject {
  const found = schemas.find((each) => isObject(each) && typeof each.description === "string");
  return isObject(found) ? { description: found.description } : {};
}

function typesOf({ type, ...schema }: JsonObject): string[] | undefined {
  if (typeof type === "string") return [type];
  if (Array.isArray(type) && type.every((each) => typeof each === "string")) return type;
  return valuesOf(schema)?.map((value) => {
    if (value === null) return "null";
    return Array.isArray(value) ? "array" : typeof value;
  });
}

/** The values that fit, if the schema lists them. */
function valuesOf(schema: JsonObject): unknown[] | undefined {
  if (Object.hasOwn(schema, "const")) return [schema.const];
  if (Array.isArray(schema.enum)) return schema.enum;
  if (schema.type === "null") return [null];
  return schema.type === "boolean" ? [true, false] : undefined;
}

function isClosed(branch: JsonObject): boolean {
  return branch.additionalProperties === false && branch.patternProperties === undefined;
}

function namedIn({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {};
}

function requiredIn({ required }: JsonObject): unknown[] {
  return Array.isArray(required) ? required : [];
}

function pick(schema: JsonObject, group: Group): JsonObject {
  const picked: Record<string, unknown> = {};
  for (const keyword of groups[group]) take(picked, schema, keyword);
  return picked;
}

function take(into: Record<string, unknown>, from: JsonObject, keyword: string): void {
  if (!Object.hasOwn(into, keyword) && Object.hasOwn(from, keyword)) into[keyword] = from[keyword];
}

function words(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(" "));
}

/** Removes duplicates in linear time, because a client may list thousands of values. */
function distinct<Item>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
