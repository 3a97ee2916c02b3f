/** How often a command line of another program starts ours: by its file, or by its name in a script of a shell. */
export function startsIn(words: readonly string[]): number {
  const lines = words.join("\n");
  const byFile = lines.match(/\bdist[\\/]main\.js\b/g) ?? [];
  const byName = lines.match(/(?:^|[ \t]*[|;&(][ \t]*)curlew (?!\(\))/gm) ?? [];
  return byFile.length + byName.length;
}
