const BLOCK = /^<!-- generated: ([^\n]+) -->\n[\s\S]*?^<!-- end of generated -->$/gm;

/**
 * The page with its generated blocks written anew; everything else stays as people wrote it. A block stands between
 * `<!-- generated: NAME -->` and `<!-- end of generated -->`, so that a word count can leave it out.
 */
export function withGenerated(page: string, partOf: (name: string) => string): string {
  return page.replace(BLOCK, (_, name: string) => generatedBlock(name, partOf(name)));
}

export function generatedBlock(name: string, part: string): string {
  return `<!-- generated: ${name} -->\n\n${part.trim()}\n\n<!-- end of generated -->`;
}
