/**
 * Whether the whole text fits a pattern in which `*` stands for any text, including none. Each part between two stars is searched
 * once, from the end of the previous part, so the time is linear in both.
 */
export function fitsWildcard(text: string, pattern: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  for (const part of others) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from + last.length <= text.length;
}
