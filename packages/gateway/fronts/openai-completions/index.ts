import { z } from "zod";
import { field } from "../../turn/read-json.js";
import type { Dialect } from "../dialect.js";
import type { Front } from "../front.js";
import { completionOf, OpenAiError } from "../openapi/index.js";
import { writeError } from "../parts/error.js";
import { type CompletionOptions, CompletionRequest, parseRequest } from "./parse.js";
import { CompletionStreamEncoder, writeReply } from "./stream.js";

const TextCompletion = completionOf("text_completion", { text: z.string() }, ["stop", "length", "content_filter"]);

const completions: Front<CompletionOptions> = {
  path: "/v1/completions",
  dialect: "openai-completions",
  description: {
    operationId: "createCompletion",
    summary: "Completes a text: OpenAI's legacy Completions.",
    request: { CompletionRequest },
    replies: { TextCompletion },
    canStream: true,
  },
  claims: ({ body }) => field(body, "prompt") !== undefined && field(body, "messages") === undefined,
  parse: parseRequest,
  reply: writeReply,
  encoder: (options, head, out) => new CompletionStreamEncoder(options, head, out),
  error: writeError,
};

export const openaiCompletions: Dialect = {
  fronts: [completions],
  endpoints: [],
  errorShapes: { OpenAiError },
  error: writeError,
};
