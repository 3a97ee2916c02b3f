const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** A text as it stands between two tags. */
export function xmlText(text: string): string {
  return text.replace(/[&<>]/g, (sign) => entities[sign] ?? sign);
}
