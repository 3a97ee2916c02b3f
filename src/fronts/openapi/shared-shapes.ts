import { z } from "zod";
import type { Shape } from "./described-route.js";

export const TurnUsage = z
  .looseObject({
    input_tokens: z.int(),
    output_tokens: z.int(),
    cache_read_tokens: z.int(),
    cache_write_tokens: z.int(),
    reasoning_tokens: z.int(),
  })
  .describe("What the whole turn took, where that is more than the last model call of this reply has read.");

/** Usage in the APIs that count prompts and completions. */
export const ChatUsage = z.looseObject({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.looseObject({ cached_tokens: z.int() }),
  completion_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
  curlew_turn: TurnUsage.optional(),
});

export const openAiError: Shape = {
  name: "OpenAiError",
  schema: z.looseObject({
    error: z.looseObject({
      message: z.string(),
      type: z.string(),
      code: z.string(),
      param: z.string().nullable(),
      status: z.int(),
    }),
  }),
};

export const anthropicError: Shape = {
  name: "AnthropicError",
  schema: z.looseObject({
    type: z.literal("error"),
    error: z.looseObject({ type: z.string(), message: z.string(), code: z.string(), param: z.string().optional() }),
    request_id: z.string().nullable(),
  }),
};
