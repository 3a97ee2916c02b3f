import { randomUUID } from "node:crypto";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type ConversationMessageSchema,
  GetChatRequestSchema,
  ConversationMessage_MessageType as Role,
  StreamChatResponseSchema,
  StreamUnifiedChatRequestWithToolsSchema,
  StreamUnifiedChatResponseWithToolsSchema,
  UnifiedMode,
} from "@curlew/wire/gen/chat_v1_pb.js";
import { GatewayError } from "../../turn/error.js";
import { type Batch, toText } from "../../turn/event.js";
import type { SentTurn } from "../../turn/turn.js";
import type { StartContext } from "../backend.js";

export interface Chat extends Pick<StartContext, "requestId" | "conversationId"> {
  readonly model: string;
  readonly isMax: boolean;
  /** The chat calls have no role for the system prompt (docs/protocol/older-descriptions.md, the old chat calls). */
  readonly system: string;
  readonly conversation: MessageInitShape<typeof ConversationMessageSchema>[];
}

export interface ChatCall {
  readonly path: string;
  encode(chat: Chat): Uint8Array;
  decode(payload: Uint8Array): Batch;
}

/** The call of the desktop app from version 0.46 on (docs/protocol/wire.md, chat calls). */
export const unifiedChat: ChatCall = {
  path: "/aiserver.v1.ChatService/StreamUnifiedChatWithTools",
  encode({ conversationId, model, isMax, system, conversation }) {
    const value = {
      conversation,
      explicitContext: { context: system },
      modelDetails: { modelName: model, maxMode: isMax },
      conversationId,
      isChat: true,
      unifiedMode: UnifiedMode.CHAT,
      unifiedModeName: "Ask",
    };
    const schema = StreamUnifiedChatRequestWithToolsSchema;
    return toBinary(schema, create(schema, { request: { case: "streamUnifiedChatRequest", value } }));
  },
  decode(payload) {
    const { response } = fromBinary(StreamUnifiedChatResponseWithToolsSchema, payload);
    if (response.case !== "streamUnifiedChatResponse") return []; // no tool was offered, so none can be called
    const { text, thinking } = response.value;
    return [...toText(thinking?.text ?? "", "thinking"), ...toText(text)];
  },
};

/** The call of the versions before 0.46. It has no thinking. */
export const streamChat: ChatCall = {
  path: "/aiserver.v1.AiService/StreamChat",
  encode({ requestId, conversationId, model, isMax, system, conversation }) {
    const request = create(GetChatRequestSchema, {
      conversation,
      explicitContext: { context: system },
      workspaceRootPath: "/project",
      modelDetails: { modelName: model, maxMode: isMax },
      requestId,
      summary: "",
      conversationId,
    });
    return toBinary(GetChatRequestSchema, request);
  },
  decode: (payload) => toText(fromBinary(StreamChatResponseSchema, payload).text),
};

/** @throws GatewayError `unsupported_parameter` for a turn with tools, which the chat calls do not have */
export function encodeChat({ system, messages, tools, toolChoice }: SentTurn, context: StartContext): Chat {
  if (tools.length > 0 && toolChoice.type !== "none") throw noTools("tools");
  const { requestId, conversationId, model } = context;
  const conversation = messages.flatMap((message, index) => {
    if (message.role === "tool") throw noTools(`messages[${index}]`);
    const texts = message.content.flatMap((block): string[] => {
      if (block.type === "call") throw noTools(`messages[${index}]`);
      if (block.type === "thinking") return [];
      if (block.type === "text") return [block.text];
      // Outside the desktop app the calls take text alone, and the model may or may not use the link.
      return [`![image](data:${block.mimeType};base64,${Buffer.from(block.data).toString("base64")})`];
    });
    if (texts.length === 0) return [];
    const type = message.role === "user" ? Role.HUMAN : Role.AI;
    return [{ text: texts.join(""), type, bubbleId: randomUUID() }];
  });
  return { requestId, conversationId, model: model.id, isMax: model.isMax, system, conversation };
}

function noTools(param: string): GatewayError {
  const text =
    "The chat backend speaks Cursor's old chat calls, which cannot use a client's tools. Leave tools out of the request, " +
    "or start Curlew with --backend agent.";
  return new GatewayError("unsupported_parameter", text, { param });
}
