import { randomUUID } from "node:crypto";
import { ConversationMessage_MessageType as Role } from "../../gen/chat_v1_pb.js";
import type { SentBlock, TextBlock } from "../../turn/blocks.js";
import { GatewayError } from "../../turn/error.js";
import type { SentTurn } from "../../turn/turn.js";
import type { StartContext } from "../backend.js";
import type { Chat } from "./calls.js";

/**
 * Encodes the turn as plain conversation.
 * @throws GatewayError `unsupported_parameter` for a turn with tools, which the chat calls do not have.
 */
export function encodeChat({ system, messages, tools, toolChoice }: SentTurn, context: StartContext): Chat {
  if (tools.length > 0 && toolChoice.type !== "none") throw noTools("tools");
  const { requestId, conversationId, model } = context;
  const conversation = messages.flatMap((message, index) => {
    if (message.role === "tool") throw noTools(`messages[${index}]`);
    const blocks = message.content.flatMap((block): SentBlock[] => {
      if (block.type === "call") throw noTools(`messages[${index}]`);
      return block.type === "thinking" ? [] : [block];
    });
    if (blocks.length === 0) return [];
    const type = message.role === "user" ? Role.HUMAN : Role.AI;
    return [{ text: blocks.map(markdown).join(""), type, bubbleId: randomUUID() }];
  });
  return { requestId, conversationId, model: model.id, isMax: model.isMax, system, conversation };
}

/** Images become Markdown: outside the desktop app the calls take text alone, and the model may or may not use the link. */
function markdown(block: SentBlock | TextBlock): string {
  if (block.type === "text") return block.text;
  return `![image](data:${block.mimeType};base64,${Buffer.from(block.data).toString("base64")})`;
}

function noTools(param: string): GatewayError {
  const text =
    "The chat backend speaks Cursor's old chat calls, which cannot use a client's tools. Leave tools out of the request, " +
    "or start Curlew with --backend agent.";
  return new GatewayError("unsupported_parameter", text, { param });
}
