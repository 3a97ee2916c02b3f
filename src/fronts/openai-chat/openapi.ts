import { z } from "zod";
import { ChatUsage, type RouteDescription } from "../openapi/index.js";
import { ChatRequest } from "./schema.js";

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

const ChatCompletion = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.literal(0),
      message: z.looseObject({
        role: z.literal("assistant"),
        content: z.string().nullable(),
        reasoning_content: z.string().optional(),
        tool_calls: z.array(ToolCall).optional(),
        refusal: z.null(),
      }),
      logprobs: z.null(),
      finish_reason: z.enum(["stop", "tool_calls", "length", "content_filter"]),
    }),
  ),
  usage: ChatUsage.optional(),
});

export const createChatCompletion: RouteDescription = {
  operationId: "createChatCompletion",
  summary: "Answers a conversation: OpenAI's Chat Completions.",
  request: { name: "ChatCompletionRequest", schema: ChatRequest },
  replies: [{ name: "ChatCompletion", schema: ChatCompletion }],
  canStream: true,
};
