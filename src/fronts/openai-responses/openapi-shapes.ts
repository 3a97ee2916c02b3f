import { z } from "zod";
import { TurnUsage } from "../openapi/index.js";

const Status = z.enum(["completed", "incomplete"]);

const OutputItem = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("reasoning"),
    id: z.string(),
    status: Status,
    summary: z.array(z.looseObject({ type: z.literal("summary_text"), text: z.string() })),
    encrypted_content: z.string().optional(),
  }),
  z.looseObject({
    type: z.literal("message"),
    id: z.string(),
    status: Status,
    role: z.literal("assistant"),
    content: z.array(z.looseObject({ type: z.literal("output_text"), text: z.string() })),
  }),
  z.looseObject({
    type: z.literal("function_call"),
    id: z.string(),
    status: Status,
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().optional(),
    arguments: z.string(),
  }),
  z.looseObject({
    type: z.literal("custom_tool_call"),
    id: z.string(),
    status: Status,
    call_id: z.string(),
    name: z.string(),
    namespace: z.string().optional(),
    input: z.string(),
  }),
]);

const Usage = z.looseObject({
  input_tokens: z.int(),
  input_tokens_details: z.looseObject({ cached_tokens: z.int(), cache_write_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.looseObject({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
  curlew_turn: TurnUsage.optional(),
});

export const OpenAiResponse = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: Status,
  error: z.null(),
  incomplete_details: z.looseObject({ reason: z.enum(["max_output_tokens", "content_filter"]) }).nullable(),
  model: z.string(),
  output: z.array(OutputItem),
  previous_response_id: z.string().nullable(),
  store: z.boolean(),
  usage: Usage,
});

export const CompactedConversation = z.looseObject({
  id: z.string(),
  object: z.literal("response.compaction"),
  created_at: z.int(),
  output: z.array(z.looseObject({ id: z.string(), type: z.literal("compaction"), encrypted_content: z.string() })),
  usage: Usage,
});

export const InputTokenCount = z.looseObject({ object: z.literal("response.input_tokens"), input_tokens: z.int() });

export const DeletedResponse = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  deleted: z.literal(true),
});

export const InputItemList = z.looseObject({
  object: z.literal("list"),
  data: z.array(z.looseObject({ id: z.string(), type: z.string() })),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});
