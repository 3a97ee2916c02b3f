const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Escapes a text for XML. */
export function xmlText(text: string): string {
  return text.replace(/[&<>]/g, (sign) => entities[sign] ?? sign);
}
