/** A field, key or union member, and the comment above it. */
export interface Commented {
  readonly name: string;
  readonly comment: string;
}

/**
 * The entries of a declaration with their comments, as source for a table of the guide. An entry is one line below a one-line
 * comment.
 *
 * @param declaration the line with which it begins
 * @throws if the declaration is missing or an entry has no comment
 */
export function commentedEntries(source: string, declaration: string): Commented[] {
  const [, rest] = source.split(`\n${declaration}\n`);
  if (rest === undefined) throw new Error(`The line "${declaration}" is missing.`);
  const body = rest.slice(0, rest.search(/[[{]$/.test(declaration) ? /^[\]}]/m : /^$/m));
  const lines = body.split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line, index): Commented[] => {
    const [, quoted, plain] = /^ {2}(?:readonly |\| )?(?:"([^"]+)"|([\w-]+))/.exec(line) ?? [];
    const name = quoted ?? plain;
    if (name === undefined || name === "constructor") return [];
    const [, comment] = /^ {2}\/\*\* (.+) \*\/$/.exec(lines[index - 1] ?? "") ?? [];
    if (comment === undefined) throw new Error(`"${name}" below "${declaration}" has no comment for the guide.`);
    return [{ name, comment }];
  });
}
