import { z } from "zod";
import { ModelName, otherThan, ToolSchema } from "../parts/request-schema.js";
import { Block } from "./block-schema.js";

const Content = z.union([z.string(), z.array(Block)]).nullish();

const Message = z.looseObject({ role: z.enum(["user", "assistant", "system"]), content: Content });

/** Tools that Anthropic defines, each under a dated type of its own. */
const AnthropicTool = otherThan(["custom"]);
const ClientTool = z.looseObject({
  type: z.literal("custom").nullish(),
  name: z.string().min(1),
  description: z.string().nullish(),
  input_schema: ToolSchema.nullish(),
});

const parallel = { disable_parallel_tool_use: z.boolean().nullish() };
const ToolChoice = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal(["auto", "any", "none"]), ...parallel }),
  z.looseObject({ type: z.literal("tool"), name: z.string().min(1), ...parallel }),
]);

const Format = z.looseObject({ type: z.literal("json_schema"), schema: z.record(z.string(), z.unknown()) }).nullish();

/** The schema is strict about what we act on or report to the client, and silent about the rest. */
export const MessagesRequest = z.looseObject({
  model: ModelName,
  max_tokens: z.int().min(1, "must be 1 or more"),
  messages: z.array(Message),
  system: Content,
  stream: z.boolean().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  tools: z.array(z.union([ClientTool, AnthropicTool])).nullish(),
  tool_choice: ToolChoice.nullish(),
  thinking: z
    .looseObject({ type: z.string(), budget_tokens: z.number().nullish(), display: z.string().nullish() })
    .nullish(),
  output_config: z.looseObject({ effort: z.string().nullish(), format: Format }).nullish(),
  /** The location of the format before `output_config` existed. */
  output_format: Format,
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.number().nullish(),
  mcp_servers: z.array(z.unknown()).nullish(),
  container: z.unknown().optional(),
  speed: z.string().nullish(),
  fallbacks: z.unknown().optional(),
  diagnostics: z.looseObject({ previous_message_id: z.string().nullish() }).nullish(),
  compaction: z.unknown().optional(),
});

/** The same request, without the limit of the answer's length. */
export const CountRequest = MessagesRequest.extend({ max_tokens: MessagesRequest.shape.max_tokens.default(1) });

export type MessagesRequest = z.infer<typeof MessagesRequest>;
