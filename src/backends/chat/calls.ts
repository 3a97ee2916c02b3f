import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type ConversationMessageSchema,
  GetChatRequestSchema,
  StreamChatResponseSchema,
  StreamUnifiedChatRequestWithToolsSchema,
  StreamUnifiedChatResponseWithToolsSchema,
  UnifiedMode,
} from "../../gen/chat_v1_pb.js";
import type { TurnEvent } from "../../turn/event.js";
import type { StartContext } from "../backend.js";

export interface Chat extends Pick<StartContext, "requestId" | "conversationId"> {
  readonly model: string;
  readonly isMax: boolean;
  /** The chat calls have no role for the system prompt (docs/protocol/older-descriptions.md, the old chat calls). */
  readonly system: string;
  readonly conversation: MessageInitShape<typeof ConversationMessageSchema>[];
}

/** One of the chat calls: its path, and how it encodes and decodes a conversation. */
export interface ChatCall {
  readonly path: string;
  encode(chat: Chat): Uint8Array;
  decode(payload: Uint8Array): TurnEvent[];
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
    return [...said("thinking", thinking?.text ?? ""), ...said("text", text)];
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
  decode: (payload) => said("text", fromBinary(StreamChatResponseSchema, payload).text),
};

function said(type: "text" | "thinking", delta: string): TurnEvent[] {
  return delta === "" ? [] : [{ type, delta }];
}
