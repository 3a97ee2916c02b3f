import {
  create,
  type DescMessage,
  fromBinary,
  type JsonValue,
  type MessageShape,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import {
  ClientSideToolV2,
  type ConversationMessage,
  ConversationMessage_MessageType,
  GetChatRequestSchema,
  StreamChatResponseSchema,
  StreamUnifiedChatRequestSchema,
  StreamUnifiedChatRequestWithToolsSchema,
  StreamUnifiedChatResponseSchema,
  StreamUnifiedChatResponseWithToolsSchema,
} from "../../src/gen/chat_v1_pb.js";

/** What a chat request asks for. */
export interface ChatRequest {
  model: string;
  /** The newest message of the person. */
  words: string;
  tools: readonly string[];
  json: JsonValue;
}

export interface ToolCall {
  id: string;
  name: string;
  args: JsonValue;
}

/** How one of the chat calls writes what all of them say. Undefined: it has no way to say that. */
export interface Dialect {
  readRequest(payload: Uint8Array): ChatRequest;
  text(delta: string): Uint8Array;
  thinking(delta: string): Uint8Array | undefined;
  call(call: ToolCall): Uint8Array | undefined;
  /** The text of a tool's result, from a message after the first. */
  readResult(payload: Uint8Array): string;
}

/** AiService/StreamChat */
export const streamChat: Dialect = {
  readRequest(payload) {
    const { message, json } = decode(GetChatRequestSchema, payload);
    return { model: message.modelDetails?.modelName ?? "", words: newestWords(message.conversation), tools: [], json };
  },
  text: (text) => toBinary(StreamChatResponseSchema, create(StreamChatResponseSchema, { text })),
  thinking: () => undefined,
  call: () => undefined,
  readResult: () => "",
};

/** ChatService/StreamUnifiedChat */
export const unifiedChat: Dialect = {
  readRequest(payload) {
    const { message, json } = decode(StreamUnifiedChatRequestSchema, payload);
    const { modelDetails, conversation, mcpTools } = message;
    const tools = mcpTools.map(({ name }) => name);
    return { model: modelDetails?.modelName ?? "", words: newestWords(conversation), tools, json };
  },
  text: (text) => toBinary(StreamUnifiedChatResponseSchema, create(StreamUnifiedChatResponseSchema, { text })),
  thinking: (text) =>
    toBinary(StreamUnifiedChatResponseSchema, create(StreamUnifiedChatResponseSchema, { thinking: { text } })),
  call: () => undefined,
  readResult: () => "",
};

/** ChatService/StreamUnifiedChatWithTools: the same inside an envelope, plus tools. */
export const unifiedChatWithTools: Dialect = {
  readRequest(payload) {
    const { message, json } = decode(StreamUnifiedChatRequestWithToolsSchema, payload);
    if (message.request.case !== "streamUnifiedChatRequest") throw new Error("the first message is no chat request");
    const { modelDetails, conversation, mcpTools } = message.request.value;
    const tools = mcpTools.map(({ name }) => name);
    return { model: modelDetails?.modelName ?? "", words: newestWords(conversation), tools, json };
  },
  text: (text) => withTools({ case: "streamUnifiedChatResponse", value: { text } }),
  thinking: (text) => withTools({ case: "streamUnifiedChatResponse", value: { thinking: { text } } }),
  call: ({ id, name, args }) => {
    const rawArgs = JSON.stringify(args);
    const mcpParams = { tools: [{ name, parameters: rawArgs }] };
    const value = { tool: ClientSideToolV2.MCP, toolCallId: id, name, rawArgs, isLastMessage: true, mcpParams };
    return withTools({ case: "clientSideToolV2Call", value });
  },
  readResult(payload) {
    const { message } = decode(StreamUnifiedChatRequestWithToolsSchema, payload);
    const { request } = message;
    return request.case === "clientSideToolV2Result" ? (request.value.mcpResult?.result ?? "") : "";
  },
};

type WithTools = Parameters<typeof create<typeof StreamUnifiedChatResponseWithToolsSchema>>[1];
function withTools(response: NonNullable<NonNullable<WithTools>["response"]>): Uint8Array {
  const schema = StreamUnifiedChatResponseWithToolsSchema;
  return toBinary(schema, create(schema, { response }));
}

function decode<Desc extends DescMessage>(
  schema: Desc,
  payload: Uint8Array,
): { message: MessageShape<Desc>; json: JsonValue } {
  const message = fromBinary(schema, payload);
  return { message, json: toJson(schema, message) };
}

function newestWords(conversation: readonly ConversationMessage[]): string {
  return conversation.findLast(({ type }) => type !== ConversationMessage_MessageType.AI)?.text ?? "";
}
