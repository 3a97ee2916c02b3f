/**
 * Whether the whole text fits a pattern in which `*` stands for anything, also for nothing. Each part between two stars is looked
 * for once, from where the one before it ended, so that no pattern and no text take longer than a few looks at both.
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
