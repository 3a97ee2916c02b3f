import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { SentBlock, SentResult, TextBlock } from "../../../turn/blocks.js";

/** A model pays for every character that it reads; a longer result was not meant to be read whole. */
const MAX_CHARACTERS = 100_000;
const MAX_IMAGES = 10;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

export type ToolOutcome = Omit<SentResult, "callId">;

export function toOutcome({ content, structuredContent, isError }: CallToolResult): ToolOutcome {
  const blocks = content.map(toBlock);
  if (blocks.length === 0 && structuredContent !== undefined) blocks.push(text(JSON.stringify(structuredContent)));
  return { content: limit(blocks), isError: isError === true };
}

export function failed(message: string): ToolOutcome {
  return { content: [text(message)], isError: true };
}

function toBlock(block: ContentBlock): SentBlock {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return image(block.data, block.mimeType);
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return text(resource.text);
      const { mimeType = "application/octet-stream" } = resource;
      if (mimeType.startsWith("image/")) return image(resource.blob, mimeType);
      return text(`[A resource of type ${mimeType} is left out: ${resource.uri}]`);
    }
    case "resource_link":
      return text(`[${block.name}: ${block.uri}]`);
    default:
      return text(`[Content of type ${block.type} is left out: models cannot read it.]`);
  }
}

function image(base64: string, mimeType: string): SentBlock {
  if (base64.length > (MAX_IMAGE_BYTES / 3) * 4) return text("[An image is left out: it is larger than 5 MiB.]");
  return { type: "image", mimeType, data: Buffer.from(base64, "base64") };
}

function limit(blocks: readonly SentBlock[]): readonly SentBlock[] {
  let leftCharacters = MAX_CHARACTERS;
  let leftImages = MAX_IMAGES;
  let leftOut = 0;
  const kept: SentBlock[] = [];
  for (const block of blocks) {
    if (block.type === "image") {
      if (leftImages-- > 0) kept.push(block);
      else leftOut++;
      continue;
    }
    const cut = block.text.slice(0, leftCharacters);
    leftOut += block.text.length - cut.length;
    leftCharacters -= cut.length;
    if (cut !== "" || block.text === "") kept.push(text(cut));
  }
  if (leftOut === 0) return kept;
  const most = `${MAX_CHARACTERS} characters and ${MAX_IMAGES} images are the most`;
  return [...kept, text(`\n[Curlew cut this result: it goes on, but ${most}.]`)];
}

function text(content: string): TextBlock {
  return { type: "text", text: content };
}
