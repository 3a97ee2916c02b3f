import type { SentBlock, SentResult } from "../../turn/blocks.js";
import type { SentMessage } from "../../turn/turn.js";
import { framed } from "../cursor/transcript-frames.js";
import type { CallResult, SentImage } from "./protocol.js";

/** The SDK takes one user message: all that is new goes into it, framed so that no part can pretend to be another. */
export function encodeMessage(
  messages: readonly SentMessage[],
  system: string,
): { text: string; images: readonly SentImage[] } {
  const images: SentImage[] = [];
  const textOf = (blocks: readonly SentBlock[]): string =>
    blocks.map((block) => (block.type === "text" ? block.text : attach(block))).join("");
  const attach = (image: Extract<SentBlock, { type: "image" }>): string => {
    images.push(encodeImage(image));
    return messages.length === 1 ? "" : `[image ${images.length}]`;
  };
  const [only] = messages;
  if (messages.length === 1 && only?.role === "user" && system === "") return { text: textOf(only.content), images };
  const parts = system === "" ? [] : [framed("system", system)];
  if (messages.length > 1) parts.push("The conversation so far. Go on from its end:");
  for (const message of messages) parts.push(...renderMessage(message, textOf));
  return { text: parts.join("\n\n"), images };
}

export function encodeResult({ content, isError }: SentResult): CallResult {
  const parts = content.map((block) =>
    block.type === "text" ? block : { type: "image" as const, ...encodeImage(block) },
  );
  return { content: parts, isError };
}

function renderMessage(message: SentMessage, textOf: (blocks: readonly SentBlock[]) => string): string[] {
  switch (message.role) {
    case "user":
      return [framed("user", textOf(message.content))];
    case "assistant":
      return message.content.flatMap((block) => {
        if (block.type === "text") return [framed("assistant", block.text)];
        if (block.type === "thinking") return [];
        return [framed("tool_call", JSON.stringify({ id: block.id, name: block.name, arguments: block.input }))];
      });
    case "tool":
      return message.results.map(({ callId, content, isError }) =>
        framed("tool_result", JSON.stringify({ id: callId, ...(isError && { isError }), result: textOf(content) })),
      );
  }
}

function encodeImage({ data, mimeType }: Extract<SentBlock, { type: "image" }>): SentImage {
  return { data: Buffer.from(data).toString("base64"), mimeType };
}
