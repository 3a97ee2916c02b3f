/** The pieces that messages are made of, in no dialect's words. */
export interface TextBlock {
  type: "text";
  text: string;
}

export interface ImageBlock {
  type: "image";
  mimeType: string;
  data: Uint8Array;
}

/** An image that the caller only named; the gateway fetches it before a backend sees the turn. */
export interface RemoteImageBlock {
  type: "remote-image";
  url: string;
}

/** A PDF; the gateway reads its text before a backend sees the turn. */
export interface PdfBlock {
  type: "pdf";
  name?: string;
  data: Uint8Array;
}

/** A PDF that the caller only named. */
export interface RemotePdfBlock {
  type: "remote-pdf";
  name?: string;
  url: string;
}

/** What people and tools may say, as a client sends it. Backends get to see text and images alone. */
export type InputBlock = TextBlock | ImageBlock | RemoteImageBlock | PdfBlock | RemotePdfBlock;

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

export interface ToolResult {
  callId: string;
  content: readonly InputBlock[];
  isError: boolean;
}

/** The text of a list of blocks, without anything between them. */
export function joinText(blocks: readonly { type: string; text?: string }[]): string {
  let text = "";
  for (const block of blocks) if (block.type === "text") text += block.text ?? "";
  return text;
}
