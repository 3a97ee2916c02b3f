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
  ConversationMessage_MessageType,
  type GetChatRequest,
  GetChatRequestSchema,
  StreamChatResponseSchema,
  type StreamUnifiedChatRequest,
  StreamUnifiedChatRequestSchema,
  StreamUnifiedChatRequestWithToolsSchema,
  StreamUnifiedChatResponseSchema,
  StreamUnifiedChatResponseWithToolsSchema,
} from "@curlew/wire/gen/chat_v1_pb.js";

/** The content of a chat request. */
export interface ChatRequest {
  model: string;
  system: string;
  /** The newest message of the user. */
  words: string;
  /** The messages before it. */
  earlierWords: readonly string[];
  tools: readonly string[];
  json: JsonValue;
}

export interface ToolCall {
  id: string;
  name: string;
  args: JsonValue;
  /** The number of a built-in tool; otherwise it is one of the client's. */
  tool?: number;
}

/** How one of the chat calls encodes its messages. Undefined means that it has no such message. */
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
    return { ...readChat(message), tools: [], json };
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
    return { ...readChat(message), tools: message.mcpTools.map(({ name }) => name), json };
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
    if (message.request.case !== "streamUnifiedChatRequest") throw new Error("the first message is not a chat request");
    const { value } = message.request;
    return { ...readChat(value), tools: value.mcpTools.map(({ name }) => name), json };
  },
  text: (text) => withTools({ case: "streamUnifiedChatResponse", value: { text } }),
  thinking: (text) => withTools({ case: "streamUnifiedChatResponse", value: { thinking: { text } } }),
  call: ({ id, name, args, tool: number = ClientSideToolV2.MCP }) => {
    const tool = number as ClientSideToolV2; // on the wire, it may be any number
    const rawArgs = JSON.stringify(args);
    const params = { case: "mcpParams" as const, value: { tools: [{ name, parameters: rawArgs }] } };
    const value = { tool, toolCallId: id, name, rawArgs, isLastMessage: true, params };
    return withTools({ case: "clientSideToolV2Call", value });
  },
  readResult(payload) {
    const { message } = decode(StreamUnifiedChatRequestWithToolsSchema, payload);
    const { request } = message;
    return request.case === "clientSideToolV2Result" ? (request.value.result.value?.result ?? "") : "";
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

/** Reads the part that all requests have in common. */
function readChat({ modelDetails, explicitContext, conversation }: GetChatRequest | StreamUnifiedChatRequest) {
  const said = conversation.flatMap(({ type, text }) => (type === ConversationMessage_MessageType.AI ? [] : [text]));
  return {
    model: modelDetails?.modelName ?? "",
    system: explicitContext?.context ?? "",
    words: said.at(-1) ?? "",
    earlierWords: said.slice(0, -1),
  };
}
