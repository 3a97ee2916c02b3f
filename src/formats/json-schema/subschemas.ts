import { isObject, type JsonObject } from "./node.js";

const single = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const lists = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"]);
const maps = new Set(["$defs", "definitions", "dependentSchemas", "dependencies", "patternProperties", "properties"]);

/** The schemas directly inside a schema. */
export function* locateSubschemas(schema: JsonObject): Generator<unknown> {
  for (const [key, value] of Object.entries(schema)) {
    if (single.has(key)) yield value;
    if (lists.has(key) && Array.isArray(value)) yield* value;
    if (maps.has(key) && isObject(value)) yield* Object.values(value);
  }
}
