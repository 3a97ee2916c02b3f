import { z } from "zod";
import { estimatedInput } from "../../turn/estimate.js";
import { field, listField } from "../../turn/read-json.js";
import type { Dialect, Endpoint } from "../dialect.js";
import type { ClientRequest, Front } from "../front.js";
import { AnthropicError, TurnUsage } from "../openapi/index.js";
import { readBody } from "../parts/request-problem.js";
import { type MessagesOptions, toFrame, writeError, writeReply } from "./message.js";
import { parseRequest, toTurn } from "./parse.js";
import { CountRequest, MessagesRequest } from "./schema.js";
import { MessagesStreamEncoder } from "./stream.js";

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

/** Cursor does not count tokens in advance, so the answer is the gateway's own estimate, the same that a stream begins with. */
export const countTokens: Endpoint = {
  method: "POST",
  path: "/v1/messages/count_tokens",
  description: {
    operationId: "countMessageTokens",
    summary: "Estimates how many tokens a request has.",
    request: { CountTokensRequest: CountRequest },
    replies: { TokenCount },
  },
  answer({ body }) {
    const input_tokens = estimatedInput(toTurn(readBody(CountRequest, body)));
    return { body: { input_tokens }, headers: { "x-curlew-usage": "estimated" } };
  },
};

const messages: Front<MessagesOptions> = {
  path: "/v1/messages",
  dialect: "anthropic-messages",
  description: {
    operationId: "createMessage",
    summary: "Answers a conversation: Anthropic's Messages.",
    request: { MessagesRequest },
    replies: { AnthropicMessage },
    canStream: true,
  },
  claims,
  parse: parseRequest,
  reply: writeReply,
  encoder: (options, head, out) => new MessagesStreamEncoder(options, head, out),
  error: writeError,
  beat: toFrame({ type: "ping" }),
};

export const anthropicMessages: Dialect = {
  fronts: [messages],
  endpoints: [countTokens],
  errorShapes: { AnthropicError },
  error: writeError,
  // Anthropic's clients expect Anthropic's form of errors at every address.
  isSpokenIn: (path, headers) =>
    /^(?:\/v1)?\/messages(?:\/|$)/.test(path) || headers["anthropic-version"] !== undefined,
};

const ownFields = ["system", "stop_sequences", "thinking", "output_config", "output_format", "diagnostics"];
const ownBlocks: ReadonlySet<unknown> = new Set([
  "image",
  "document",
  "search_result",
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
]);

/** Bodies with only plain text are valid in Chat Completions too, with the same meaning. */
function claims({ body, headers }: Pick<ClientRequest, "body" | "headers">): boolean {
  if (!Array.isArray(field(body, "messages"))) return false;
  if (headers["anthropic-version"] !== undefined) return true;
  if (ownFields.some((name) => field(body, name) !== undefined)) return true;
  if (listField(body, "tools").some((tool) => field(tool, "input_schema") !== undefined)) return true;
  return listField(body, "messages").some((message) =>
    listField(message, "content").some((block) => ownBlocks.has(field(block, "type"))),
  );
}
