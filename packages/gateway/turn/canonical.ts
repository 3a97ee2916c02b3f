import { MAX_JSON_DEPTH } from "./request-limits.js";

/** Whether lists and objects are nested more than `levels` deep. A value that contains nothing is one level. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (levels < 1) return true;
  if (typeof value !== "object" || value === null) return false;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    if (isDeeperThan(inner, levels - 1)) return true;
  }
  return false;
}

/** The value with sorted keys, so that equal values become equal text. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, canonical(each)]));
}

/** One text for all with the same value; `{}` for empty text. Returned unchanged: what is not JSON, not meant, or too deep. */
export function canonicalJson(text: string, isMeant: (value: unknown) => boolean = () => true): string {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    if (isDeeperThan(value, MAX_JSON_DEPTH) || !isMeant(value)) return text;
    return JSON.stringify(canonical(value));
  } catch {
    return text;
  }
}

/** The same for calls, except with numbers that JavaScript cannot represent: two large ids may be the same double. */
export function canonicalCall(input: string): string {
  return canonicalJson(input, isExact);
}

function isExact(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== "object" || value === null) return true;
  return (Array.isArray(value) ? value : Object.values(value)).every(isExact);
}
