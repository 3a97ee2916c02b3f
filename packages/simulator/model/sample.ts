import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

const MAX_DEPTH = 12;

const formats: Record<string, string> = {
  "date-time": "2026-01-01T00:00:00Z",
  date: "2026-01-01",
  time: "00:00:00Z",
  duration: "P1D",
  email: "sample@example.com",
  hostname: "example.com",
  ipv4: "127.0.0.1",
  ipv6: "::1",
  uri: "https://example.com/sample",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** A small harmless value that fits the JSON schema. */
export function sampleOf(schema: JsonValue): JsonValue {
  return sample(schema, schema, 0);
}

/** A sample for the arguments of a tool. */
export function sampleArgs(schema: JsonValue): JsonObject {
  const value = sampleOf(schema);
  return isObject(value) ? value : {};
}

/** Names and values of verdicts about work. The simulated model lets it go on: whoever asks would wait for a person otherwise. */
const STOPS =
  /block|den(?:y|ied)|refus|reject|forbid|prohibit|unsafe|danger|malicious|harmful|violat|suspicious|flagged/i;
const ALLOWS = /^(?:allow|approve|accept|permit|pass|proceed|continue|safe|benign|ok|yes)/i;

/** `name` is that of the property, if the value is one. */
function sample(schema: JsonValue | undefined, root: JsonValue, depth: number, name = ""): JsonValue {
  if (!isObject(schema) || depth > MAX_DEPTH) return schema === false ? null : "sample";
  if (typeof schema.$ref === "string") return sample(resolve(schema.$ref, root), root, depth + 1, name);
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum[0] !== undefined) return choiceOf(schema.enum) ?? schema.enum[0];
  if (Array.isArray(schema.allOf)) return sample(mergeAll(schema, schema.allOf, root), root, depth + 1, name);
  const [choice] = [schema.anyOf, schema.oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (choice !== undefined) {
    const { anyOf: _anyOf, oneOf: _oneOf, ...common } = schema;
    return sample(mergeAll(common, [choice], root), root, depth + 1, name);
  }
  switch (typeOf(schema)) {
    case "object":
      return sampleObject(schema, root, depth);
    case "array":
      return sampleArray(schema, root, depth);
    case "number":
    case "integer":
      return sampleNumber(schema);
    case "boolean":
      return !STOPS.test(name);
    case "null":
      return null;
    default:
      return sampleString(schema);
  }
}

/** The value that lets the work go on, where another would stop it. */
function choiceOf(values: readonly JsonValue[]): JsonValue | undefined {
  const words = values.filter((value) => typeof value === "string");
  return words.some((word) => STOPS.test(word)) ? words.find((word) => ALLOWS.test(word)) : undefined;
}

function typeOf(schema: JsonObject): JsonValue {
  if (Array.isArray(schema.type)) return schema.type.find((type) => type !== "null") ?? "null";
  if (schema.type !== undefined) return schema.type;
  if (schema.properties !== undefined || schema.required !== undefined) return "object";
  return schema.items !== undefined ? "array" : "string";
}

/** Fills only required properties or, without such a list, everything that is described. */
function sampleObject(schema: JsonObject, root: JsonValue, depth: number): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const wanted = Array.isArray(schema.required) ? schema.required : Object.keys(properties);
  const object: JsonObject = {};
  for (const name of wanted) {
    if (typeof name === "string") object[name] = sample(properties[name] ?? {}, root, depth + 1, name);
  }
  return object;
}

function sampleArray(schema: JsonObject, root: JsonValue, depth: number): JsonValue[] {
  const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  const most = countOf(schema.maxItems) ?? Number.POSITIVE_INFINITY;
  const length = Math.min(Math.max(countOf(schema.minItems) ?? 1, prefix.length), most, 100);
  return Array.from({ length }, (_, index) => sample(prefix[index] ?? schema.items ?? {}, root, depth + 1));
}

function sampleNumber(schema: JsonObject): number {
  const step = typeof schema.multipleOf === "number" ? schema.multipleOf : 1;
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
  const lowest = Math.max(
    typeof minimum === "number" ? Math.ceil(minimum / step) * step : Number.NEGATIVE_INFINITY,
    typeof exclusiveMinimum === "number" ? (Math.floor(exclusiveMinimum / step) + 1) * step : Number.NEGATIVE_INFINITY,
  );
  const highest = Math.min(
    typeof maximum === "number" ? Math.floor(maximum / step) * step : Number.POSITIVE_INFINITY,
    typeof exclusiveMaximum === "number" ? (Math.ceil(exclusiveMaximum / step) - 1) * step : Number.POSITIVE_INFINITY,
  );
  return Math.min(Math.max(step, lowest), highest);
}

function sampleString(schema: JsonObject): string {
  const text = typeof schema.format === "string" ? (formats[schema.format] ?? "sample") : "sample";
  return text.padEnd(countOf(schema.minLength) ?? 0, "x").slice(0, countOf(schema.maxLength) ?? undefined);
}

function mergeAll(base: JsonObject, parts: readonly JsonValue[], root: JsonValue): JsonObject {
  const { allOf: _allOf, ...merged } = base;
  for (const part of parts) {
    const schema = isObject(part) && typeof part.$ref === "string" ? resolve(part.$ref, root) : part;
    if (!isObject(schema)) continue;
    const properties = { ...asObject(merged.properties), ...asObject(schema.properties) };
    const required = [...asArray(merged.required), ...asArray(schema.required)];
    Object.assign(merged, schema);
    if (Object.keys(properties).length > 0) merged.properties = properties;
    if (required.length > 0) merged.required = required;
  }
  return merged;
}

/** Resolves `#`, `#/$defs/name` and the like; any other reference describes nothing. */
function resolve(ref: string, root: JsonValue): JsonValue {
  let found: JsonValue | undefined = root;
  for (const step of ref.split("/").slice(1)) {
    found = isObject(found) ? found[step.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
  }
  return ref.startsWith("#") ? (found ?? {}) : {};
}

function countOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function asArray(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
