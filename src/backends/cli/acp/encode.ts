import type { ContentBlock } from "@agentclientprotocol/sdk";
import { joinText } from "../../../turn/blocks.js";
import type { SentMessage, SentTurn } from "../../../turn/turn.js";
import { SERVER_NAME } from "../mcp/approvals.js";
import { blocksOf, renderPrompt } from "../prompt.js";

/** The prompt for a new session: the whole conversation. */
export function openingPrompt(turn: SentTurn): ContentBlock[] {
  const prompt = renderPrompt({ ...turn, tools: [] });
  const note = turn.tools.length === 0 ? "" : `${toolNote(turn)}\n\n`;
  return [{ type: "text", text: note + prompt }, ...images(turn.messages)];
}

/** The prompt for a session that knows the rest. Undefined where there is more to send than one new user message. */
export function nextPrompt({ messages }: SentTurn): ContentBlock[] | undefined {
  if (messages.length === 0 || messages.some(({ role }) => role !== "user")) return undefined;
  const text = messages.map((message) => joinText(blocksOf(message))).join("\n\n");
  return [{ type: "text", text }, ...images(messages)];
}

function toolNote({ tools }: SentTurn): string {
  const names = tools.map(({ name }) => name).join(", ");
  return `You have the tools of the MCP server "${SERVER_NAME}" and no others: ${names}. They are run by the user, for you.`;
}

function images(messages: readonly SentMessage[]): ContentBlock[] {
  return messages.flatMap(blocksOf).flatMap((block): ContentBlock[] => {
    if (block.type !== "image") return [];
    return [{ type: "image", mimeType: block.mimeType, data: Buffer.from(block.data).toString("base64") }];
  });
}
