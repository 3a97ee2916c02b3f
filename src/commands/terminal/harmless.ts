import { harmlessText } from "../../shown-on.js";

/** Marks that change the direction of the text around them, characters that take no room, and other line breaks. */
const UNSEEN = /[\p{Cf}\u2028\u2029]/gu;

/** A text of others in one line, in which a terminal finds nothing to obey. */
export function harmless(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const oneLine = harmlessText(text)
    .replace(/[\n\t]/g, " ")
    .replace(UNSEEN, "\uFFFD");
  return oneLine.length > maxLength ? `${oneLine.slice(0, maxLength - 1)}…` : oneLine;
}

/** JSON for machines, which may be shown on a terminal all the same. It reads back as the same value. */
export function harmlessJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent);
  return json.replace(/[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/gu, (found) => {
    const units = Array.from({ length: found.length }, (_, at) => found.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}
