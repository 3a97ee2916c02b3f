import { z } from "zod";
import { ModelName, TokenLimit } from "../parts/request-schema.js";

const Format = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal(["text", "json_object"]) }),
  z.looseObject({
    type: z.literal("json_schema"),
    name: z.string().nullish(),
    schema: z.record(z.string(), z.unknown()),
  }),
]);

/**
 * The schema is strict about what we act on or report to the client, and silent about the rest. Items and tools are parsed
 * apart, because the response repeats them unchanged.
 */
export const ResponsesRequest = z.looseObject({
  model: ModelName,
  input: z.union([z.string(), z.array(z.looseObject({}))]).nullish(),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.unknown().optional(),
  prompt: z.unknown().optional(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  generate: z.boolean().nullish(),
  include: z.array(z.string()).nullish(),
  tools: z.array(z.looseObject({})).nullish(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.number().nullish(),
  max_output_tokens: TokenLimit,
  reasoning: z.looseObject({ effort: z.string().nullish(), summary: z.string().nullish() }).nullish(),
  text: z.looseObject({ format: Format.nullish(), verbosity: z.string().nullish() }).nullish(),
  truncation: z.string().nullish(),
  context_management: z.array(z.unknown()).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  top_logprobs: z.number().nullish(),
  service_tier: z.string().nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
});

export type ResponsesRequest = z.infer<typeof ResponsesRequest>;
