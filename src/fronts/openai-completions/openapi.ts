import { z } from "zod";
import { ChatUsage, type RouteDescription } from "../openapi/index.js";
import { CompletionRequest } from "./schema.js";

const TextCompletion = z.looseObject({
  id: z.string(),
  object: z.literal("text_completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.literal(0),
      text: z.string(),
      logprobs: z.null(),
      finish_reason: z.enum(["stop", "length", "content_filter"]),
    }),
  ),
  usage: ChatUsage.optional(),
});

export const createCompletion: RouteDescription = {
  operationId: "createCompletion",
  summary: "Continues a text: OpenAI's Completions, the form from before chats.",
  request: { name: "CompletionRequest", schema: CompletionRequest },
  replies: [{ name: "TextCompletion", schema: TextCompletion }],
  canStream: true,
};
