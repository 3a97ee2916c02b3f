const BLOCK = /^<!-- generated: ([^\n]+) -->\n[\s\S]*?^<!-- end of generated -->$/gm;

/**
 * Replaces the generated blocks of a page. A block is between `<!-- generated: NAME -->` and `<!-- end of generated -->`, so
 * that a word count can skip it.
 */
export function withGenerated(page: string, partOf: (name: string) => string): string {
  if (page.split("<!-- generated: ").length !== [...page.matchAll(BLOCK)].length + 1)
    throw new Error("A page has a generated block without an end, or one that does not begin its line.");
  return page.replace(BLOCK, (_, name: string) => generatedBlock(name, partOf(name)));
}

export function generatedBlock(name: string, part: string): string {
  return `<!-- generated: ${name} -->\n\n${part.trim()}\n\n<!-- end of generated -->`;
}
