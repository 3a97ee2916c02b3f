import type { StopReason } from "@anthropic-ai/sdk/resources/messages";
import { z } from "zod";
import type { Answer } from "./dialect.js";
import { TurnUsage } from "./turn-usage-shape.js";

const count = z.int().nonnegative();
const word = z.string().min(1);

/** The stop reasons of a gateway without tools of its own. */
export const endings = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  tool_use: "calls",
  refusal: "filtered",
} as const satisfies Partial<Record<StopReason, Answer["ending"]>>;
const stopReason = z.enum(Object.keys(endings) as (keyof typeof endings)[]);

const DeltaUsage = z.strictObject({
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
  output_tokens_details: z.strictObject({ thinking_tokens: count }),
  server_tool_use: z.null(),
  iterations: z.null(),
  fallback_credit: z.null(),
  curlew_turn: TurnUsage.optional(),
});
const Usage = DeltaUsage.extend({
  cache_creation: z.null(),
  inference_geo: z.null(),
  service_tier: z.null(),
  speed: z.null(),
});

const Stop = z.strictObject({
  stop_reason: stopReason,
  stop_sequence: word.nullable(),
  stop_details: z
    .strictObject({ type: z.literal("refusal"), category: z.null(), explanation: z.string().nullable() })
    .nullable(),
});

const TextBlock = z.strictObject({ type: z.literal("text"), text: z.string(), citations: z.tuple([]) });
const ThinkingBlock = z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() });
const ToolUse = z.strictObject({
  type: z.literal("tool_use"),
  id: word,
  name: word,
  input: z.record(z.string(), z.unknown()),
  caller: z.strictObject({ type: z.literal("direct") }),
});
const Block = z.discriminatedUnion("type", [TextBlock, ThinkingBlock, ToolUse]);

const head = {
  id: z.string().startsWith("msg_"),
  type: z.literal("message"),
  role: z.literal("assistant"),
  model: word,
  container: z.null(),
  context_management: z.null(),
  diagnostics: z.null(),
};
export const Message = z.strictObject({ ...head, content: z.array(Block), ...Stop.shape, usage: Usage });

const Delta = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text_delta"), text: word }),
  z.strictObject({ type: z.literal("thinking_delta"), thinking: word }),
  z.strictObject({ type: z.literal("signature_delta"), signature: word }),
  z.strictObject({ type: z.literal("input_json_delta"), partial_json: z.string() }),
]);

export const MessagesFailure = z.strictObject({
  type: z.literal("error"),
  error: z.strictObject({
    type: z.string().endsWith("_error"),
    message: word,
    code: word,
    param: word.exactOptional(),
  }),
  request_id: word,
});

export const MessagesEvent = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("message_start"),
    message: z.strictObject({
      ...head,
      content: z.tuple([]),
      stop_reason: z.null(),
      stop_sequence: z.null(),
      stop_details: z.null(),
      usage: Usage,
    }),
  }),
  z.strictObject({ type: z.literal("ping") }),
  z.strictObject({ type: z.literal("content_block_start"), index: count, content_block: Block }),
  z.strictObject({ type: z.literal("content_block_delta"), index: count, delta: Delta }),
  z.strictObject({ type: z.literal("content_block_stop"), index: count }),
  z.strictObject({
    type: z.literal("message_delta"),
    delta: Stop.extend({ container: z.null() }),
    usage: DeltaUsage,
    context_management: z.null(),
  }),
  z.strictObject({ type: z.literal("message_stop") }),
  MessagesFailure,
]);

export type MessagesEvent = z.output<typeof MessagesEvent>;
export type Block = z.output<typeof Block>;
export type Delta = z.output<typeof Delta>;
export type Stop = z.output<typeof Stop>;
