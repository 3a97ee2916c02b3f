import { z } from "zod";
import { type RouteDescription, TurnUsage } from "../openapi/index.js";
import { CountRequest, MessagesRequest } from "./schema.js";

const AnthropicMessage = z.looseObject({
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

const TokenCount = z.looseObject({ input_tokens: z.int() });

export const createMessage: RouteDescription = {
  operationId: "createMessage",
  summary: "Answers a conversation: Anthropic's Messages.",
  request: { name: "MessagesRequest", schema: MessagesRequest },
  replies: [{ name: "AnthropicMessage", schema: AnthropicMessage }],
  canStream: true,
};

export const countMessageTokens: RouteDescription = {
  operationId: "countMessageTokens",
  summary: "Estimates how many tokens a request has.",
  request: { name: "CountTokensRequest", schema: CountRequest },
  replies: [{ name: "TokenCount", schema: TokenCount }],
};
