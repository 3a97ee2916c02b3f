/** The content blocks of messages, independent of any dialect. */
export interface TextBlock {
  type: "text";
  text: string;
}

export interface ImageBlock {
  type: "image";
  mimeType: string;
  data: Uint8Array;
}

/** An image that the client gave by its address. The gateway fetches it before a backend gets the turn. */
export interface RemoteImageBlock {
  type: "remote-image";
  url: string;
}

/** A PDF. The gateway extracts its text before a backend gets the turn. */
export interface PdfBlock {
  type: "pdf";
  name?: string;
  data: Uint8Array;
}

export interface RemotePdfBlock {
  type: "remote-pdf";
  name?: string;
  url: string;
}

export type InputBlock = TextBlock | ImageBlock | RemoteImageBlock | PdfBlock | RemotePdfBlock;

export type SentBlock = TextBlock | ImageBlock;

export interface ThinkingBlock {
  type: "thinking";
  text: string;
  signature?: string;
}

export interface CallBlock {
  type: "call";
  id: string;
  name: string;
  /** The arguments as JSON text, as the model wrote them. */
  input: string;
}

export interface ToolResult<Block extends InputBlock = InputBlock> {
  callId: string;
  content: readonly Block[];
  isError: boolean;
}

export interface SentResult extends ToolResult<SentBlock> {
  /** The user's words in their frame, if they must not be a part of the content. The model reads them after it. */
  words?: string;
}

export function joinText(blocks: readonly { type: string; text?: string }[]): string {
  let text = "";
  for (const block of blocks) if (block.type === "text") text += block.text ?? "";
  return text;
}

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

const OPENING = "\n\nThe user wrote this while the tool was running:\n<message_from_user>\n";
const CLOSING = "\n</message_from_user>";
/** Matches the beginning of the tag, opening or closing, in any spelling. */
const TAG = /<(?=\/?message_from_user(?![\w-]))/gi;

/** The user's words, as content to append to a tool's own. */
export function wordsInResult(said: readonly SentBlock[]): readonly SentBlock[] {
  const escaped = withoutFrames(said);
  return mergeTexts([{ type: "text", text: OPENING }, ...escaped, { type: "text", text: CLOSING }]);
}

type Content<Block> = readonly (Block | TextBlock)[];

/** Escapes the tags, so that no tool can speak as the user. Joins neighbouring texts first, as a model reads them. */
export function withoutFrames<Block extends { type: string }>(content: Content<Block>): Content<Block> {
  if (joinText(content).search(TAG) < 0) return content;
  return mergeTexts(content).map((block) =>
    isText(block) ? { type: "text", text: block.text.replace(TAG, "&lt;") } : block,
  );
}

function mergeTexts<Block extends { type: string }>(content: Content<Block>): Content<Block> {
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
