import type { Front } from "../front.js";
import { writeError } from "./error.js";
import { type CompletionOptions, parseRequest } from "./parse.js";
import { writeReply } from "./reply.js";
import { CompletionStreamEncoder } from "./stream.js";

/** OpenAI's Completions, the form from before chats, for tools that have known no other since. */
export const openaiCompletions: Front<CompletionOptions> = {
  path: "/v1/completions",
  parse: parseRequest,
  reply: writeReply,
  encoder: (options, facts) => new CompletionStreamEncoder(options, facts),
  error: writeError,
};
