import { isDeeperThan } from "./json-depth.js";
import { MAX_JSON_DEPTH } from "./request-limits.js";

/** The value with sorted keys, so that equal values become equal text. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, canonical(each)]));
}

/**
 * The one JSON text for all texts with the same value. Empty text means `{}`. Text that is not JSON, or is nested too deeply, is
 * returned unchanged. Numbers are parsed by JavaScript, as in a client that sends a call back.
 */
export function canonicalJson(text: string): string {
  return canonicalText(text, () => true);
}

/**
 * The same for comparing calls. Two large ids may be the same double, so a call with a number that JavaScript cannot represent
 * keeps its original text.
 */
export function canonicalCall(input: string): string {
  return canonicalText(input, isExact);
}

function canonicalText(text: string, isMeant: (value: unknown) => boolean): string {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    if (isDeeperThan(value, MAX_JSON_DEPTH) || !isMeant(value)) return text;
    return JSON.stringify(canonical(value));
  } catch {
    return text;
  }
}

function isExact(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== "object" || value === null) return true;
  return (Array.isArray(value) ? value : Object.values(value)).every(isExact);
}
