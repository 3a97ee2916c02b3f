import { findTool, type Tool } from "./tools.js";

/** A sentence ends with its mark, or with its line. */
const sentenceEnd = /(?<=[.!?])\s+|\n+/;
const demand = /\b(?:must|required|require|answer|respond|reply|now|need)\b/i;
const calling = /\bcall(?:ing)?\b/i;
const refraining = /\b(?:without|never|don't|do not|instead of|rather than)\b/i;
const anyTool = /\b(?:one|some|any) (?:or more )?of (?:the|your|these) (?:\w+ )?tools\b|\ba tool\b/i;

/**
 * The tool that the newest words demand a call of, as a model would read them: a sentence that speaks of calling and leaves no
 * choice. It names a tool in quotation marks, or speaks of any of them; then it is the first that was not called yet in
 * this conversation, and the last one when all were, so that a client with a tool for its final answer comes to an end.
 */
export function findAskedCall(text: string, tools: readonly Tool[], called: ReadonlySet<string>): Tool | undefined {
  for (const sentence of text.split(sentenceEnd)) {
    if (!calling.test(sentence) || !demand.test(sentence) || refraining.test(sentence)) continue;
    const named = quotedIn(sentence).map((name) => findTool(tools, name));
    const found = named.find((tool) => tool !== undefined);
    if (found !== undefined) return found;
    if (anyTool.test(sentence)) return tools.find(({ name }) => !called.has(name)) ?? tools.at(-1);
  }
  return undefined;
}

function quotedIn(sentence: string): string[] {
  return [...sentence.matchAll(/["“`]([^"“”`]+)["”`]/g)].map(([, name = ""]) => name);
}
