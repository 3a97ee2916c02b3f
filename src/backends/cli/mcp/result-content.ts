import type { CallToolResult } from "@modelcontextprotocol/server";
import type { SentResult } from "../../../turn/blocks.js";

/** The client's result as MCP says it. */
export function resultContent({ content, isError }: SentResult): CallToolResult {
  return {
    content: content.map((block) =>
      block.type === "text"
        ? { type: "text", text: block.text }
        : { type: "image", mimeType: block.mimeType, data: Buffer.from(block.data).toString("base64") },
    ),
    isError,
  };
}

/** Words of our own in place of a result. */
export function ownWords(text: string, isError: boolean): CallToolResult {
  return { content: [{ type: "text", text }], isError };
}
