const ESCAPED_C0 = 0x2400;
const DELETE = 0x7f;
const DELETE_SIGN = "\u2421";
const UNKNOWN_SIGN = "\uFFFD";

/** Makes foreign text safe for a stream. A terminal obeys control characters: there they become signs, except line breaks and tabs. */
export function shownOn<Value>(stream: { readonly isTTY?: boolean }, value: Value): Value {
  return stream.isTTY === true ? (harmless(value) as Value) : value;
}

function harmless(value: unknown): unknown {
  if (typeof value === "string") return harmlessText(value);
  if (Array.isArray(value)) return value.map(harmless);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [harmlessText(name), harmless(each)]));
}

/** The same for a text that goes to a terminal in any case. */
export function harmlessText(text: string): string {
  // Both halves of a Windows line break are one line break.
  return text.replaceAll("\r\n", "\n").replace(/[^\P{Control}\n\t]/gu, signOf);
}

/** Marks that change the text direction, zero-width characters, and other line breaks. */
const UNSEEN = /[\p{Cf}\u2028\u2029]/gu;

/** The same in one line, cut to this length. */
export function harmlessLine(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const oneLine = harmlessText(text)
    .replace(/[\n\t]/g, " ")
    .replace(UNSEEN, UNKNOWN_SIGN);
  return oneLine.length > maxLength ? `${oneLine.slice(0, maxLength - 1)}…` : oneLine;
}

function signOf(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(ESCAPED_C0 + code);
  return code === DELETE ? DELETE_SIGN : UNKNOWN_SIGN;
}
