/** How drivers head the messages of a conversation that they hand over as one text. */
const HEADING = /^(?:#+ )?(?:user|human):|^<user>|^(?:#+ )?(?:USER|User|Human)\s*$/gim;

/**
 * The newest message in a prompt that may hold a whole conversation: what a real model would answer. Directives of
 * earlier messages were followed in their own turn.
 */
export function newestWords(prompt: string, after: string): string {
  const heading = after === "" ? HEADING : new RegExp(after, "gm");
  let start = 0;
  for (const match of prompt.matchAll(heading)) start = match.index + match[0].length;
  return prompt.slice(start);
}
