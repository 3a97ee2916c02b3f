import { z } from "zod";
import { field, listField } from "../../turn/read-json.js";
import type { Dialect } from "../dialect.js";
import type { ClientRequest, Front } from "../front.js";
import { completionOf, OpenAiError } from "../openapi/index.js";
import { writeError } from "../parts/error.js";
import { type ChatOptions, parseRequest } from "./parse.js";
import { finishReasons, writeReply } from "./reply.js";
import { ChatRequest } from "./schema.js";
import { ChatStreamEncoder } from "./stream.js";

const ToolCall = z.union([
  z.looseObject({
    id: z.string(),
    type: z.literal("function"),
    function: z.looseObject({ name: z.string(), arguments: z.string() }),
  }),
  z.looseObject({
    id: z.string(),
    type: z.literal("custom"),
    custom: z.looseObject({ name: z.string(), input: z.string() }),
  }),
]);

const message = z.looseObject({
  role: z.literal("assistant"),
  content: z.string().nullable(),
  reasoning_content: z.string().optional(),
  tool_calls: z.array(ToolCall).optional(),
  function_call: z.looseObject({ name: z.string(), arguments: z.string() }).optional(),
  refusal: z.null(),
});

const ChatCompletion = completionOf("chat.completion", { message }, [...Object.values(finishReasons), "function_call"]);

export const chat: Front<ChatOptions> = {
  path: "/v1/chat/completions",
  dialect: "openai-chat",
  description: {
    operationId: "createChatCompletion",
    summary: "Answers a conversation: OpenAI's Chat Completions.",
    request: { ChatCompletionRequest: ChatRequest },
    replies: { ChatCompletion },
    canStream: true,
  },
  claims,
  parse: parseRequest,
  reply: writeReply,
  encoder: (options, head, out) => new ChatStreamEncoder(options, head, out),
  error: writeError,
};

export const openaiChat: Dialect = {
  fronts: [chat],
  endpoints: [],
  errorShapes: { OpenAiError },
  error: writeError,
};

const ownRoles: ReadonlySet<unknown> = new Set(["developer", "tool", "function"]);

/** Whether a body is certainly of this dialect. Conversations of plain text are valid in others too. */
function claims({ body }: Pick<ClientRequest, "body">): boolean {
  if (!Array.isArray(field(body, "messages"))) return false;
  if (listField(body, "tools").some((tool) => field(tool, "function") !== undefined)) return true;
  return listField(body, "messages").some(
    (message) => ownRoles.has(field(message, "role")) || field(message, "tool_calls") !== undefined,
  );
}
