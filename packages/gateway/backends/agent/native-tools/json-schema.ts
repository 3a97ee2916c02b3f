import { followReference, isObject, type JsonObject } from "../../../turn/read-json.js";

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Clients write schemas for models, so real ones are small. These limits keep an odd schema from costing time. */
const MAX_DEPTH = 6;
const MAX_READINGS = 16;

/** The plain schemas that a schema expands to: references followed, unions opened, conjunctions merged. */
export function readingsOf(schema: unknown, root: JsonObject, depth = 0): readonly JsonObject[] {
  if (schema === true) return [{}];
  if (!isObject(schema) || depth > MAX_DEPTH) return [];
  const { $ref, anyOf, oneOf, allOf, ...rest } = schema;
  let readings: readonly JsonObject[] = [rest];
  const narrow = (options: readonly unknown[]) => {
    const opened = options.flatMap((option) => readingsOf(option, root, depth + 1)).slice(0, MAX_READINGS);
    readings = readings.flatMap((reading) => opened.map((option) => merge(reading, option))).slice(0, MAX_READINGS);
  };
  if (typeof $ref === "string") narrow([followReference(root, $ref)]);
  if (Array.isArray(allOf)) for (const part of allOf) narrow([part]);
  if (Array.isArray(anyOf)) narrow(anyOf);
  if (Array.isArray(oneOf)) narrow(oneOf);
  return readings;
}

export function fitValue(value: Json, schema: unknown, root: JsonObject): Json | undefined {
  const readings = readingsOf(schema, root);
  for (const force of [false, true]) {
    for (const reading of readings) {
      const fitted = fitPlain(value, reading, root, force);
      if (fitted !== undefined) return fitted;
    }
  }
  return undefined;
}

export function takesNull(schema: unknown, root: JsonObject): boolean {
  return readingsOf(schema, root).some(
    (reading) =>
      reading.nullable === true || (choicesOf(reading)?.includes(null) ?? typesOf(reading)?.includes("null") === true),
  );
}

export function onlyValue(schema: unknown, root: JsonObject): Json | undefined {
  const values = readingsOf(schema, root).map(choicesOf);
  const [first, ...others] = values.flatMap((choices) => choices ?? []);
  return others.length === 0 && !values.includes(undefined) ? first : undefined;
}

/** The values that a schema lists, or undefined when it takes any of its type. */
export function choicesOf(reading: JsonObject): readonly Json[] | undefined {
  if ("const" in reading) return isJson(reading.const) ? [reading.const] : [];
  return Array.isArray(reading.enum) ? reading.enum.filter(isJson) : undefined;
}

export function typesOf(reading: JsonObject): readonly string[] | undefined {
  const { type } = reading;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === "string");
  if (isObject(reading.properties)) return ["object"];
  return reading.items === undefined ? undefined : ["array"];
}

export function isJson(value: unknown): value is Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  return typeof value === "object" && Object.values(value).every(isJson);
}

/** With `force`, a number may become text and a value may become a list of one. */
function fitPlain(value: Json, reading: JsonObject, root: JsonObject, force: boolean): Json | undefined {
  const choices = choicesOf(reading);
  if (choices !== undefined) return choices.find((choice) => lowered(choice) === lowered(value));
  const types = typesOf(reading);
  if (types === undefined) return value;
  const takes = (type: string) => types.includes(type);
  const isNumeric = takes("number") || takes("integer");
  if (typeof value === "string" && takes("string")) return fitText(value, reading);
  if (typeof value === "number" && isNumeric) return fitNumber(value, reading, types);
  if (typeof value === "boolean" && takes("boolean")) return value;
  if (Array.isArray(value) && takes("array")) return fitList(value, reading, root);
  if (!force) return undefined;
  if (typeof value === "string" && isNumeric && /^-?\d+(?:\.\d+)?$/.test(value)) {
    return fitNumber(Number(value), reading, types);
  }
  if ((typeof value === "number" || typeof value === "boolean") && takes("string")) {
    return fitText(String(value), reading);
  }
  return takes("array") && !Array.isArray(value) ? fitList([value], reading, root) : undefined;
}

function fitText(value: string, { minLength, maxLength }: JsonObject): string | undefined {
  if (typeof minLength === "number" && value.length < minLength) return undefined;
  return typeof maxLength === "number" && value.length > maxLength ? undefined : value;
}

/** Numbers are limits and ranges here, so the nearest allowed number serves the request best. */
function fitNumber(value: number, reading: JsonObject, types: readonly string[]): number | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = reading;
  let fitted = types.includes("number") ? value : Math.round(value);
  if (typeof minimum === "number") fitted = Math.max(fitted, minimum);
  if (typeof maximum === "number") fitted = Math.min(fitted, maximum);
  if (typeof exclusiveMinimum === "number" && fitted <= exclusiveMinimum) return undefined;
  return typeof exclusiveMaximum === "number" && fitted >= exclusiveMaximum ? undefined : fitted;
}

function fitList(values: readonly Json[], reading: JsonObject, root: JsonObject): readonly Json[] | undefined {
  const { items, minItems, maxItems } = reading;
  if (typeof minItems === "number" && values.length < minItems) return undefined;
  if (typeof maxItems === "number" && values.length > maxItems) return undefined;
  if (items === undefined) return values;
  const fitted = values.map((value) => fitValue(value, items, root));
  return fitted.every((value) => value !== undefined) ? fitted : undefined;
}

function merge(one: JsonObject, other: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...one, ...other };
  if (isObject(one.properties) && isObject(other.properties)) {
    merged.properties = { ...one.properties, ...other.properties };
  }
  if (Array.isArray(one.required) && Array.isArray(other.required)) {
    merged.required = [...one.required, ...other.required];
  }
  return merged;
}

function lowered(value: Json): Json {
  return typeof value === "string" ? value.toLowerCase() : value;
}
