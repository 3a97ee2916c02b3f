import { z } from "zod";
import { TurnUsage } from "./turn-usage-shape.js";

export const AnthropicError = z.looseObject({
  type: z.literal("error"),
  error: z.looseObject({ type: z.string(), message: z.string(), code: z.string(), param: z.string().optional() }),
  request_id: z.string().nullable(),
});

export const AnthropicMessage = z.looseObject({
  id: z.string(),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: z.string(),
  content: z.array(
    z.discriminatedUnion("type", [
      z.looseObject({ type: z.literal("text"), text: z.string(), citations: z.array(z.looseObject({})) }),
      z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
      z.looseObject({
        type: z.literal("tool_use"),
        id: z.string(),
        name: z.string(),
        input: z.looseObject({}),
        caller: z.looseObject({ type: z.literal("direct") }),
      }),
    ]),
  ),
  stop_reason: z.enum(["end_turn", "tool_use", "max_tokens", "stop_sequence", "refusal"]),
  stop_sequence: z.string().nullable(),
  usage: z.looseObject({
    input_tokens: z.int(),
    cache_creation_input_tokens: z.int(),
    cache_read_input_tokens: z.int(),
    output_tokens: z.int(),
    curlew_turn: TurnUsage.optional(),
  }),
});

export const TokenCount = z.looseObject({ input_tokens: z.int() });

export const AnthropicModel = z.looseObject({
  type: z.literal("model"),
  id: z.string(),
  display_name: z.string(),
  created_at: z.iso.datetime(),
  max_input_tokens: z.int().nullable(),
  capabilities: z.looseObject({}),
  lifecycle: z.literal("active"),
});

export const AnthropicModelList = z.looseObject({
  data: z.array(AnthropicModel),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});
