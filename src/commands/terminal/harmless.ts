/**
 * Characters that a terminal obeys instead of showing them: controls, which begin escape sequences, also those of the range that
 * 8-bit terminals read; marks that change the direction of the text around them; and characters that take no room.
 */
const OBEYED = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A text that comes from others, as one line in which a terminal finds nothing to obey. */
export function harmless(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const oneLine = text
    .replace(/\s*[\r\n]\s*/g, " ")
    .replaceAll("\t", " ")
    .replace(OBEYED, "\uFFFD");
  return oneLine.length > maxLength ? `${oneLine.slice(0, maxLength - 1)}…` : oneLine;
}

/** JSON for machines, which may be shown on a terminal all the same. It reads back as the same value. */
export function harmlessJson(value: unknown, indent?: number): string {
  const escaped = (character: string) =>
    character === "\n"
      ? character
      : [...Array(character.length).keys()]
          .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
          .join("");
  return JSON.stringify(value, null, indent).replace(OBEYED, escaped);
}
