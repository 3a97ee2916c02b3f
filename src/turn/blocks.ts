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

/** A PDF that the client gave by its address. */
export interface RemotePdfBlock {
  type: "remote-pdf";
  name?: string;
  url: string;
}

/** The content of users and tools, as a client sends it. */
export type InputBlock = TextBlock | ImageBlock | RemoteImageBlock | PdfBlock | RemotePdfBlock;

/** The content of users and tools, as a backend gets it. */
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
  /** Where in the content the words begin that the user wrote while the tool ran, if there are any. */
  readonly wordsAt?: number;
}

/** The text of a list of blocks, joined without separators. */
export function joinText(blocks: readonly { type: string; text?: string }[]): string {
  let text = "";
  for (const block of blocks) if (block.type === "text") text += block.text ?? "";
  return text;
}
