import type { InputBlock } from "./blocks.js";
import type { Usage } from "./event.js";
import { perToolList } from "./per-tool-list.js";
import type { Message, Turn } from "./turn.js";

const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1_000;
/** Most of a PDF is fonts, pictures and coordinates. */
const PDF_BYTES_PER_TOKEN = 40;
/** A few pages, because the real size is not known. */
const TOKENS_PER_REMOTE_PDF = 2_000;

const charactersOf = perToolList((tools) => {
  let characters = 0;
  for (const { name, description, inputSchema } of tools) {
    characters += name.length + description.length + JSON.stringify(inputSchema).length;
  }
  return characters;
});

export function estimatedInput({ system, tools, messages }: Pick<Turn, "system" | "tools" | "messages">): number {
  let characters = system.length + charactersOf(tools);
  for (const message of messages) {
    if (message.role !== "tool") characters += charactersIn(message.content);
    else for (const { content } of message.results) characters += charactersIn(content);
  }
  return tokens(characters);
}

function charactersIn(content: Exclude<Message, { role: "tool" }>["content"]): number {
  let characters = 0;
  for (const block of content) {
    if (block.type === "text" || block.type === "thinking") characters += block.text.length;
    else if (block.type === "call") characters += block.name.length + block.input.length;
    else characters += CHARACTERS_PER_TOKEN * attachedTokens(block);
  }
  return characters;
}

export function estimatedUsage(inputTokens: number, outputCharacters: number, cachedTokens = 0): Usage {
  return {
    inputTokens,
    outputTokens: tokens(outputCharacters),
    cacheReadTokens: Math.min(cachedTokens, inputTokens),
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    estimated: true,
  };
}

function attachedTokens(block: Exclude<InputBlock, { type: "text" }>): number {
  switch (block.type) {
    case "image":
    case "remote-image":
      return TOKENS_PER_IMAGE;
    case "pdf":
      return Math.ceil(block.data.length / PDF_BYTES_PER_TOKEN);
    case "remote-pdf":
      return TOKENS_PER_REMOTE_PDF;
  }
}

function tokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
