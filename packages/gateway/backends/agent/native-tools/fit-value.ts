import { isObject, type JsonObject } from "../../../turn/read-json.js";
import type { Slot } from "./equivalents.js";
import { compactName } from "./find-tools.js";
import { choicesOf, fitValue, type Json, readingsOf, typesOf } from "./json-schema.js";
import { isOneOf, type OneOf } from "./native-request.js";

export interface Parameter {
  readonly name: string;
  readonly schema: unknown;
  readonly text: string;
}

export function parameterOf(name: string, schema: unknown, root: JsonObject): Parameter {
  const texts = [schema, ...readingsOf(schema, root)].map((part) => (isObject(part) ? part.description : undefined));
  return { name, schema, text: texts.filter((text) => typeof text === "string").join("\n") };
}

/** Converts the value to the form, unit and counting that the parameter takes; undefined when the parameter cannot express it. */
export function fitSlotValue(
  slot: Slot,
  meant: Json | OneOf,
  parameter: Parameter,
  root: JsonObject,
): Json | undefined {
  if (isOneOf(meant)) {
    // A free-text parameter would take any word, but nothing would show that the tool knows the word.
    const isListed = readingsOf(parameter.schema, root).some((reading) => choicesOf(reading) !== undefined);
    if (!isListed) return undefined;
    for (const word of meant.oneOf) {
      const fitted = fitValue(word, parameter.schema, root);
      if (fitted !== undefined) return fitted;
    }
    return undefined;
  }
  const value = convert(slot, meant, parameter, root);
  return value === undefined ? undefined : fitValue(value, parameter.schema, root);
}

function convert(slot: Slot, value: Json, parameter: Parameter, root: JsonObject): Json | undefined {
  switch (slot) {
    case "timeoutMs":
    case "patienceMs": {
      const unit = typeof value === "number" ? timeUnit(parameter, root) : undefined;
      if (typeof value !== "number" || unit === undefined) return undefined;
      return unit === "ms" ? value : Math.ceil(value / 1_000);
    }
    case "offset":
      return /\brequires? (?:a )?.?limit\b/i.test(parameter.text) ? undefined : countedFrom(parameter, value);
    case "offsetWithLimit":
    case "startLine":
    case "endLine":
      return countedFrom(parameter, value);
    case "command":
      // A list under a singular name is an argument vector for the system, not a list of command lines.
      return typeof value === "string" && isArgumentList(parameter, root) ? ["bash", "-lc", value] : value;
    default:
      return value;
  }
}

/** Lines are counted from 1 on the wire and in most clients. */
function countedFrom({ text }: Parameter, line: Json): Json {
  return typeof line === "number" && /\b(?:0|zero)[- ](?:based|indexed)/i.test(text) ? line - 1 : line;
}

/** Decides by the parameter's name, then by its description, then by the size of its default and maximum. */
function timeUnit({ name, text, schema }: Parameter, root: JsonObject): "ms" | "s" | undefined {
  const compact = compactName(name);
  if (/(?:ms|millis|milliseconds)$/.test(compact)) return "ms";
  if (/(?:secs?|seconds)$/.test(compact)) return "s";
  if (/\bms\b|\dms\b|millisecond/i.test(text)) return "ms";
  if (/\bsecs?\b|\bseconds?\b|\d ?s\b/i.test(text)) return "s";
  const figures = readingsOf(schema, root).flatMap((reading) => [reading.default, reading.maximum]);
  const largest = Math.max(...figures.filter((figure) => typeof figure === "number"));
  if (!Number.isFinite(largest)) return undefined;
  return largest >= 10_000 ? "ms" : "s";
}

function isArgumentList({ name, schema }: Parameter, root: JsonObject): boolean {
  if (compactName(name).endsWith("commands")) return false;
  const readings = readingsOf(schema, root);
  return readings.length > 0 && readings.every((reading) => typesOf(reading)?.includes("array") === true);
}
