import { isDeeperThan } from "./json-depth.js";
import { MAX_JSON_DEPTH } from "./request-limits.js";

/** The value with the keys of its objects in order, so that what is equal becomes equal text. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, canonical(each)]));
}

/**
 * The JSON text that all texts with the same value share; nothing at all means `{}`. Text that is no JSON, or goes too deep, stays
 * as it is. Numbers are what JavaScript reads, as in a client that gives a call back.
 */
export function canonicalJson(text: string): string {
  return canonicalText(text, () => true);
}

/**
 * The same for telling calls apart: two large ids may be one and the same double, and then only the text as written tells which is
 * meant.
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
