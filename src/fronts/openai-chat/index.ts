import type { Front } from "../front.js";
import { writeError } from "./error.js";
import { type ChatOptions, parseRequest } from "./parse.js";
import { writeReply } from "./reply.js";
import { ChatStreamEncoder } from "./stream.js";

/** OpenAI's Chat Completions. */
export const openaiChat: Front<ChatOptions> = {
  path: "/v1/chat/completions",
  parse: parseRequest,
  reply: writeReply,
  encoder: (options, facts) => new ChatStreamEncoder(options, facts),
  error: writeError,
};
