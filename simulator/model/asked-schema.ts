import type { JsonObject } from "@bufbuild/protobuf";
import { scanJsonObject } from "./json-scan.js";

/**
 * The JSON schema that an answer is to fit: the first object behind the words "JSON schema" that looks like one. Where the
 * newest words, which come first here, only ask for "one JSON object and nothing else", any object will do.
 */
export function findAskedSchema(texts: readonly string[]): JsonObject | undefined {
  for (const text of texts) {
    for (const { index } of text.matchAll(/json[\s_-]?schema/gi)) {
      const schema = firstSchema(text, index);
      if (schema !== undefined) return schema;
    }
  }
  return /\bone json object and nothing else\b/i.test(texts[0] ?? "") ? { type: "object" } : undefined;
}

function firstSchema(text: string, from: number): JsonObject | undefined {
  const start = text.indexOf("{", from);
  if (start === -1) return undefined;
  const object = scanJsonObject(text, start)?.value;
  if (object === undefined) return undefined;
  if (looksLikeSchema(object)) return object;
  // The way response formats wrap it: {"name": ..., "schema": {...}}.
  const { schema } = object;
  const isInner = typeof schema === "object" && schema !== null && !Array.isArray(schema) && looksLikeSchema(schema);
  return isInner ? schema : undefined;
}

function looksLikeSchema(object: JsonObject): boolean {
  return ["type", "properties", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"].some((key) => key in object);
}
