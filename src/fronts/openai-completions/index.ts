import { field } from "../../turn/read-json.js";
import type { Dialect } from "../dialect.js";
import { serverSentEvents } from "../frame.js";
import type { Front } from "../front.js";
import { openAiError } from "../openapi/index.js";
import { writeError } from "../parts/openai-error.js";
import { createCompletion } from "./openapi.js";
import { type CompletionOptions, parseRequest } from "./parse.js";
import { writeReply } from "./reply.js";
import { CompletionStreamEncoder } from "./stream.js";

const completions: Front<CompletionOptions> = {
  path: "/v1/completions",
  dialect: "openai-completions",
  description: createCompletion,
  claims: ({ body }) => field(body, "prompt") !== undefined && field(body, "messages") === undefined,
  parse: parseRequest,
  reply: writeReply,
  framing: serverSentEvents,
  encoder: (options, head, out) => new CompletionStreamEncoder(options, head, out),
  error: writeError,
};

/** OpenAI's Completions, the API from before chats, for tools that never moved on from it. */
export const openaiCompletions: Dialect = {
  fronts: [completions],
  endpoints: [],
  errorShapes: [openAiError],
  error: writeError,
};
