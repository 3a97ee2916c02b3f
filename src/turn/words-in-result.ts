import { joinText, type SentBlock, type TextBlock } from "./blocks.js";

const OPENING = "\n\nThe user wrote this while the tool was running:\n<message_from_user>\n";
const CLOSING = "\n</message_from_user>";
/** Matches the beginning of the tag, opening or closing, in any spelling. */
const TAG = /<(?=\/?message_from_user(?![\w-]))/gi;

/** What the user said, as content that follows a tool's own. */
export function wordsInResult(said: readonly SentBlock[]): readonly SentBlock[] {
  const escaped = withoutFrames(said);
  return mergeTexts([{ type: "text", text: OPENING }, ...escaped, { type: "text", text: CLOSING }]);
}

/**
 * Makes content unable to contain such a frame, so that no tool can speak as the user. Neighbouring texts are read together,
 * because a model reads them so.
 */
export function withoutFrames<Block extends { type: string }>(
  content: readonly (Block | TextBlock)[],
): readonly (Block | TextBlock)[] {
  if (joinText(content).search(TAG) < 0) return content;
  return mergeTexts(content).map((block) =>
    isText(block) ? { type: "text", text: block.text.replace(TAG, "&lt;") } : block,
  );
}

function mergeTexts<Block extends { type: string }>(
  content: readonly (Block | TextBlock)[],
): readonly (Block | TextBlock)[] {
  const merged: (Block | TextBlock)[] = [];
  for (const block of content) {
    const last = merged.at(-1);
    if (last !== undefined && isText(last) && isText(block)) {
      merged[merged.length - 1] = { type: "text", text: last.text + block.text };
    } else merged.push(block);
  }
  return merged;
}

function isText(block: { type: string }): block is TextBlock {
  return block.type === "text";
}
