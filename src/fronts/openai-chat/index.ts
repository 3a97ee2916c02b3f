import type { Dialect } from "../dialect.js";
import { serverSentEvents } from "../frame.js";
import type { Front } from "../front.js";
import { openAiError } from "../openapi/index.js";
import { writeError } from "../parts/openai-error.js";
import { claims } from "./claims.js";
import { createChatCompletion } from "./openapi.js";
import { type ChatOptions, parseRequest } from "./parse.js";
import { writeReply } from "./reply.js";
import { ChatStreamEncoder } from "./stream.js";

export const chat: Front<ChatOptions> = {
  path: "/v1/chat/completions",
  dialect: "openai-chat",
  description: createChatCompletion,
  claims,
  parse: parseRequest,
  reply: writeReply,
  framing: serverSentEvents,
  encoder: (options, head, out) => new ChatStreamEncoder(options, head, out),
  error: writeError,
};

export const openaiChat: Dialect = {
  fronts: [chat],
  endpoints: [],
  errorShapes: [openAiError],
  error: writeError,
};
