/** Any text as a header may carry it: printable ASCII, and not without end. */
export function toHeaderValue(text: string, maxChars = 200): string {
  const short = text.length > maxChars ? `${text.slice(0, maxChars - 3)}...` : text;
  return short.replace(/[^\x20-\x7e]/g, "?");
}
