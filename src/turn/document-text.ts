import type { TextBlock } from "./blocks.js";

const MAX_NAME_CHARACTERS = 200;

/** The text of a document in a tag, so that a model can distinguish it from the user's words. */
export function documentText(text: string, name = ""): TextBlock {
  const shown = name
    .slice(0, MAX_NAME_CHARACTERS)
    .replace(/[\s"<>]+/g, " ")
    .trim();
  const opening = shown === "" ? "<document>" : `<document name="${shown}">`;
  return { type: "text", text: `\n${opening}\n${text}\n</document>\n` };
}
