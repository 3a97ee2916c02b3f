import { estimatedInput } from "../../turn/estimate.js";
import { field, listField } from "../../turn/read-json.js";
import type { Dialect, Endpoint } from "../dialect.js";
import type { ClientRequest, Front } from "../front.js";
import { anthropicError } from "../openapi/index.js";
import { readBody } from "../parts/request-problem.js";
import { type MessagesOptions, toFrame, writeError, writeReply } from "./message.js";
import { countMessageTokens, createMessage } from "./openapi.js";
import { parseRequest, toTurn } from "./parse.js";
import { CountRequest } from "./schema.js";
import { MessagesStreamEncoder } from "./stream.js";

/** Cursor does not count tokens in advance, so the answer is the gateway's own estimate, the same that a stream begins with. */
export const countTokens: Endpoint = {
  method: "POST",
  path: "/v1/messages/count_tokens",
  description: countMessageTokens,
  answer({ body }) {
    const input_tokens = estimatedInput(toTurn(readBody(CountRequest, body)));
    return { body: { input_tokens }, headers: { "x-curlew-usage": "estimated" } };
  },
};

const messages: Front<MessagesOptions> = {
  path: "/v1/messages",
  dialect: "anthropic-messages",
  description: createMessage,
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
  errorShapes: [anthropicError],
  error: writeError,
  // Anthropic's clients expect Anthropic's form of errors at every address.
  isSpokenIn: (path, headers) =>
    /^(?:\/v1)?\/messages(?:\/|$)/.test(path) || headers["anthropic-version"] !== undefined,
};

/** Fields that only this dialect has at the top of a request. */
const ownFields = ["system", "stop_sequences", "thinking", "output_config", "output_format", "diagnostics"];
/** Blocks that only this dialect has. */
const ownBlocks: ReadonlySet<unknown> = new Set([
  "image",
  "document",
  "search_result",
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
]);

/** Bodies of plain words are also bodies of Chat Completions; they mean the same in both. */
function claims({ body, headers }: Pick<ClientRequest, "body" | "headers">): boolean {
  if (!Array.isArray(field(body, "messages"))) return false;
  if (headers["anthropic-version"] !== undefined) return true;
  if (ownFields.some((name) => field(body, name) !== undefined)) return true;
  if (listField(body, "tools").some((tool) => field(tool, "input_schema") !== undefined)) return true;
  return listField(body, "messages").some((message) =>
    listField(message, "content").some((block) => ownBlocks.has(field(block, "type"))),
  );
}
