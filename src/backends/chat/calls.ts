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
  /** The calls have no role for it. */
  readonly system: string;
  readonly conversation: MessageInitShape<typeof ConversationMessageSchema>[];
}

/** One of the chat calls: where it is, and how it writes and reads a conversation. */
export interface ChatCall {
  readonly path: string;
  encode(chat: Chat): Uint8Array;
  decode(payload: Uint8Array): TurnEvent[];
}

/** Of the desktop app from version 0.46 on. */
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

/** Of the versions before that. It knows no thinking. */
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
