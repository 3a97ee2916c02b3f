export { harmlessLine as harmless } from "../../shown-on.js";

/** JSON for machines, which may be shown on a terminal all the same. It reads back as the same value. */
export function harmlessJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent);
  return json.replace(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/gu, (found) => {
    const units = Array.from({ length: found.length }, (_, at) => found.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}
