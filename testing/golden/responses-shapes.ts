import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import { z } from "zod";
import { TurnUsage } from "./turn-usage-shape.js";

const count = z.int().nonnegative();
const word = z.string().min(1);
const itemStatus = z.enum(["in_progress", "completed", "incomplete"]);

const Usage = z.strictObject({
  input_tokens: count,
  input_tokens_details: z.strictObject({ cached_tokens: count, cache_write_tokens: count }),
  output_tokens: count,
  output_tokens_details: z.strictObject({ reasoning_tokens: count }),
  total_tokens: count,
  curlew_turn: TurnUsage.optional(),
});

const TextPart = z.strictObject({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.tuple([]),
  logprobs: z.tuple([]),
});
const SummaryPart = z.strictObject({ type: z.literal("summary_text"), text: z.string() });

const Item = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("message"),
    id: word,
    status: itemStatus,
    role: z.literal("assistant"),
    content: z.array(TextPart),
  }),
  z.strictObject({
    type: z.literal("reasoning"),
    id: word,
    status: itemStatus.exactOptional(),
    summary: z.array(SummaryPart),
    encrypted_content: word.nullable().exactOptional(),
  }),
  z.strictObject({
    type: z.literal("function_call"),
    id: word,
    status: itemStatus,
    call_id: word,
    name: word,
    arguments: z.string(),
  }),
]);

/** The fields that OpenAI's document requires, and those that Open Responses requires in addition. */
export const ResponseObject = z.strictObject({
  id: z.string().startsWith("resp_"),
  object: z.literal("response"),
  created_at: count,
  completed_at: count.nullable(),
  status: z.enum(["in_progress", "completed", "incomplete", "failed"]),
  error: z.strictObject({ code: word, message: word }).nullable(),
  incomplete_details: z.strictObject({ reason: z.enum(["max_output_tokens", "content_filter"]) }).nullable(),
  model: word,
  output: z.array(Item),
  usage: Usage.nullable(),
  instructions: z.string().nullable(),
  previous_response_id: z.string().nullable(),
  tools: z.array(z.looseObject({ type: word })),
  tool_choice: z.enum(["none", "auto", "required"]),
  parallel_tool_calls: z.boolean(),
  max_tool_calls: count.nullable(),
  max_output_tokens: count.nullable(),
  reasoning: z.strictObject({ effort: z.string().nullable(), summary: z.string().nullable() }).nullable(),
  text: z.looseObject({ format: z.looseObject({ type: z.enum(["text", "json_object", "json_schema"]) }) }),
  truncation: z.enum(["auto", "disabled"]),
  temperature: z.number().nullable(),
  top_p: z.number().nullable(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: count,
  store: z.boolean(),
  background: z.literal(false),
  service_tier: word,
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
});

const numbered = { sequence_number: count };
const ofItem = { ...numbered, output_index: count, item_id: word };
const ofPart = { ...ofItem, content_index: count };
const ofSummary = { ...ofItem, summary_index: count };

const whole = <Type extends string>(type: Type) =>
  z.strictObject({ type: z.literal(type), ...numbered, response: ResponseObject });
const item = <Type extends string>(type: Type) =>
  z.strictObject({ type: z.literal(type), ...numbered, output_index: count, item: Item });

export const ResponsesEvent = z.discriminatedUnion("type", [
  whole("response.created"),
  whole("response.in_progress"),
  whole("response.completed"),
  whole("response.incomplete"),
  whole("response.failed"),
  item("response.output_item.added"),
  item("response.output_item.done"),
  z.strictObject({ type: z.literal("response.content_part.added"), ...ofPart, part: TextPart }),
  z.strictObject({ type: z.literal("response.content_part.done"), ...ofPart, part: TextPart }),
  z.strictObject({ type: z.literal("response.output_text.delta"), ...ofPart, delta: word, logprobs: z.tuple([]) }),
  z.strictObject({ type: z.literal("response.output_text.done"), ...ofPart, text: z.string(), logprobs: z.tuple([]) }),
  z.strictObject({ type: z.literal("response.reasoning_summary_part.added"), ...ofSummary, part: SummaryPart }),
  z.strictObject({ type: z.literal("response.reasoning_summary_part.done"), ...ofSummary, part: SummaryPart }),
  z.strictObject({ type: z.literal("response.reasoning_summary_text.delta"), ...ofSummary, delta: word }),
  z.strictObject({ type: z.literal("response.reasoning_summary_text.done"), ...ofSummary, text: z.string() }),
  z.strictObject({ type: z.literal("response.function_call_arguments.delta"), ...ofItem, delta: word }),
  z.strictObject({
    type: z.literal("response.function_call_arguments.done"),
    ...ofItem,
    name: word,
    arguments: z.string(),
  }),
]);

export type ResponsesEvent = z.output<typeof ResponsesEvent>;
export type ResponseObject = z.output<typeof ResponseObject>;
export type ResponseItem = z.output<typeof Item>;

// The official client must accept everything that the judge accepts. It adds output_text itself.
type Written = Omit<ResponseObject, "tools" | "text" | "usage" | "error" | "service_tier" | "reasoning">;
const _response = (response: Written): Omit<Response, "output_text" | "tools" | "error"> => response;
type Step = Exclude<ResponsesEvent, { response: unknown }>;
const _event = (event: Step): ResponseStreamEvent => event;
