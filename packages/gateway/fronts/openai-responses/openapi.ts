import { z } from "zod";
import { TurnUsage } from "../openapi/index.js";
import { Input } from "./item-schema.js";
import { Offer, ResponsesRequest } from "./schema.js";

const Status = z.enum(["completed", "incomplete"]);

const item = { id: z.string(), status: Status };
const call = { ...item, call_id: z.string(), name: z.string(), namespace: z.string().optional() };
const OutputItem = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("reasoning"),
    ...item,
    summary: z.array(z.looseObject({ type: z.literal("summary_text"), text: z.string() })),
    encrypted_content: z.string().optional(),
  }),
  z.looseObject({
    type: z.literal("message"),
    ...item,
    role: z.literal("assistant"),
    content: z.array(z.looseObject({ type: z.literal("output_text"), text: z.string() })),
  }),
  z.looseObject({ type: z.literal("function_call"), ...call, arguments: z.string() }),
  z.looseObject({ type: z.literal("custom_tool_call"), ...call, input: z.string() }),
  z.looseObject({
    type: z.literal(["shell_call", "local_shell_call", "apply_patch_call", "computer_call"]),
    ...item,
    call_id: z.string(),
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

const ResponseStatus = z.enum(["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]);

export const OpenAiResponse = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: ResponseStatus,
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.looseObject({ reason: z.enum(["max_output_tokens", "content_filter"]) }).nullable(),
  model: z.string(),
  output: z.array(OutputItem),
  previous_response_id: z.string().nullable(),
  conversation: z.looseObject({ id: z.string() }).optional(),
  store: z.boolean(),
  background: z.boolean(),
  usage: Usage.nullable(),
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

export const ConversationItem = z.looseObject({ id: z.string(), type: z.string() });

export const ItemList = z.looseObject({
  object: z.literal("list"),
  data: z.array(ConversationItem),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

export const ConversationObject = z.looseObject({
  id: z.string(),
  object: z.literal("conversation"),
  created_at: z.int(),
  metadata: z.record(z.string(), z.string()),
});

export const DeletedConversation = z.looseObject({
  id: z.string(),
  object: z.literal("conversation.deleted"),
  deleted: z.literal(true),
});

const DescribedRequest = ResponsesRequest.extend({
  input: z.union([z.string(), Input.shape.input]).nullish(),
  tools: Offer.shape.tools.nullish(),
  tool_choice: Offer.shape.tool_choice.nullish(),
});

export const request = { ResponsesRequest: DescribedRequest };
