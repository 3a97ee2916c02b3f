import { z } from "zod";
import { TurnUsage } from "./turn-usage-shape.js";

export const OpenAiError = z.looseObject({
  error: z.looseObject({
    message: z.string(),
    type: z.string(),
    code: z.string(),
    param: z.string().nullable(),
    status: z.int(),
  }),
});

const Usage = z.looseObject({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.looseObject({ cached_tokens: z.int() }),
  completion_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
  curlew_turn: TurnUsage.optional(),
});

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

export const ChatCompletion = z.looseObject({
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
  usage: Usage.optional(),
});

export const TextCompletion = z.looseObject({
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
  usage: Usage.optional(),
});

export const OpenAiModel = z.looseObject({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
  name: z.string(),
  context_window: z.int().optional(),
  max_mode_context_window: z.int().optional(),
});

export const OpenAiModelList = z.looseObject({ object: z.literal("list"), data: z.array(OpenAiModel) });
