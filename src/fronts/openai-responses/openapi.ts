import { z } from "zod";
import { parameter, type RouteDescription, TurnUsage } from "../openapi/index.js";
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

const OpenAiResponse = z.looseObject({
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
  store: z.boolean(),
  background: z.boolean(),
  usage: Usage.nullable(),
});

const CompactedConversation = z.looseObject({
  id: z.string(),
  object: z.literal("response.compaction"),
  created_at: z.int(),
  output: z.array(z.looseObject({ id: z.string(), type: z.literal("compaction"), encrypted_content: z.string() })),
  usage: Usage,
});

const InputTokenCount = z.looseObject({ object: z.literal("response.input_tokens"), input_tokens: z.int() });

const DeletedResponse = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  deleted: z.literal(true),
});

const InputItemList = z.looseObject({
  object: z.literal("list"),
  data: z.array(z.looseObject({ id: z.string(), type: z.string() })),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});

const DescribedRequest = ResponsesRequest.extend({
  input: z.union([z.string(), Input.shape.input]).nullish(),
  tools: Offer.shape.tools.nullish(),
  tool_choice: Offer.shape.tool_choice.nullish(),
});

const request = { ResponsesRequest: DescribedRequest };

const responseId = parameter("path", "id", "The id of a response that was stored.");

export const createResponse: RouteDescription = {
  operationId: "createResponse",
  summary: "Answers a conversation and keeps the answer: OpenAI's Responses.",
  request,
  replies: { OpenAiResponse },
  canStream: true,
};

export const compactConversation: RouteDescription = {
  operationId: "compactConversation",
  summary: "Makes one item of a conversation, which replaces it in later requests.",
  request,
  replies: { CompactedConversation },
};

export const countResponseInputTokens: RouteDescription = {
  operationId: "countResponseInputTokens",
  summary: "Estimates how many tokens the input of a response has.",
  request,
  replies: { InputTokenCount },
};

export const getResponse: RouteDescription = {
  operationId: "getResponse",
  summary: "Returns a stored response, or the events of one that is made in the background.",
  parameters: [
    responseId,
    parameter("query", "stream", "true for the events of the response."),
    parameter("query", "starting_after", "The sequence_number of the last event that the client has.", {
      type: "integer",
    }),
  ],
  replies: { OpenAiResponse },
  canStream: true,
};

export const deleteResponse: RouteDescription = {
  operationId: "deleteResponse",
  summary: "Deletes a stored response.",
  parameters: [responseId],
  replies: { DeletedResponse },
};

export const listInputItems: RouteDescription = {
  operationId: "listInputItems",
  summary: "Lists the input items of a stored response.",
  parameters: [
    responseId,
    parameter("query", "limit", "How many items a page holds, 1 to 100.", { type: "integer" }),
    parameter("query", "after", "The page begins after this item."),
    parameter("query", "order", "asc, or desc (the default)."),
  ],
  replies: { InputItemList },
};

export const cancelResponse: RouteDescription = {
  operationId: "cancelResponse",
  summary: "Ends a response that is made in the background. One that has ended is returned as it is.",
  parameters: [responseId],
  replies: { OpenAiResponse },
};
