import { z } from "zod";
import type { TurnResult } from "../../turn/collect.js";
import { GatewayError } from "../../turn/error.js";
import { estimatedInput } from "../../turn/estimate.js";
import { field } from "../../turn/read-json.js";
import type { Turn } from "../../turn/turn.js";
import type { Dialect, Endpoint } from "../dialect.js";
import type { ClientRequest, Front, ParsedRequest, ReplyHead, SocketFront, SocketMessage } from "../front.js";
import { OpenAiError } from "../openapi/index.js";
import { writeError as writeOpenAiError } from "../parts/error.js";
import { invalidField } from "../parts/query.js";
import { unsupported } from "../parts/request-problem.js";
import { sealSummary } from "./conversation.js";
import { CompactedConversation, InputTokenCount, OpenAiResponse, request } from "./openapi.js";
import { parseRequest, type ResponsesOptions } from "./parse.js";
import { type ResponseObject, toDialectError, toResponsesUsage, writeError, writeReply } from "./response.js";
import { conversationEndpoints } from "./stored/conversation-endpoints.js";
import { storedEndpoints } from "./stored/endpoints.js";
import { keepResponse } from "./stored/input-items.js";
import { ResponsesStreamEncoder } from "./stream.js";

const INSTRUCTION = `Write a summary of this conversation. Another assistant will go on from the summary alone and will not see the \
conversation, so leave out nothing that it needs:
- what the user wants, and what they have decided or ruled out, in their own words where the words matter;
- what was done and found out so far, with the names, paths, commands, figures and pieces of code that are still needed;
- what is under way, and what is left to do.
Write the summary itself and nothing else.`;

/** Asks for a summary in the same conversation, so that the conversation's checkpoint can be used. */
function parseCompaction(request: ClientRequest): ParsedRequest<undefined> {
  const { turn, isBackground } = parseRequest(request);
  if (isBackground) throw unsupported("background", "a conversation is compacted at once");
  const { format: _, maxTokens: __, ...rest } = turn;
  const asked: Turn = {
    ...rest,
    messages: [...turn.messages, { role: "user", content: [{ type: "text", text: INSTRUCTION }] }],
    toolChoice: { type: "none" },
    side: "compaction",
  };
  return { turn: asked, wantsStream: false, request: undefined };
}

function writeCompaction({ text, usage, turnUsage }: TurnResult, { id, createdMs }: ReplyHead) {
  if (text.trim() === "") {
    throw new GatewayError("upstream_error", "The model returned no summary. Try again, or continue without one.");
  }
  return {
    id: `resp_${id}`,
    object: "response.compaction",
    created_at: Math.floor(createdMs / 1000),
    output: [{ id: `cmp_${id}_0`, type: "compaction", encrypted_content: sealSummary(text) }],
    usage: toResponsesUsage(usage, turnUsage),
  };
}

export const compact: Front<undefined> = {
  path: "/v1/responses/compact",
  dialect: "openai-responses",
  description: {
    operationId: "compactConversation",
    summary: "Compacts a conversation into one item, which replaces it in later requests.",
    request,
    replies: { CompactedConversation },
  },
  parse: parseCompaction,
  reply: (result, _, head) => writeCompaction(result, head),
  // A compaction never streams, so this is never called.
  encoder: () => ({ push() {}, end() {} }),
  error: writeError,
};

const CreateEvent = z.looseObject({ type: z.literal("response.create"), previous_response_id: z.unknown().optional() });

function readMessage(message: unknown): SocketMessage {
  const event = CreateEvent.safeParse(message);
  if (!event.success) {
    throw invalidField("type", 'must be "response.create"; nothing else is supported here');
  }
  const { previous_response_id: id } = event.data;
  return { body: event.data, continuedId: typeof id === "string" ? id : undefined };
}

/** The error in the form that clients know from the wire, and again in the form of the API's description. */
function writeErrorMessage(error: GatewayError): string {
  const { status, ...body } = toDialectError(error);
  const { code, message, param } = body;
  return JSON.stringify({ type: "error", status, error: body, code, message, param, sequence_number: 0 });
}

/** Unlike a response, a count needs no model: the estimate is the same for all. */
const CountedRequest = z
  .looseObject({ model: z.unknown().optional() })
  .transform((request) => ({ ...request, model: request.model ?? "auto" }));

/** Cursor does not count tokens in advance, so the answer is the gateway's own estimate. */
const inputTokens: Endpoint = {
  method: "POST",
  path: "/v1/responses/input_tokens",
  description: {
    operationId: "countResponseInputTokens",
    summary: "Estimates how many tokens the input of a response has.",
    request,
    replies: { InputTokenCount },
  },
  answer(request) {
    const counted = CountedRequest.safeParse(request.body);
    const body = counted.success ? counted.data : request.body;
    const { turn } = parseRequest({ body, store: request.store });
    return {
      body: { object: "response.input_tokens", input_tokens: estimatedInput(turn) },
      headers: { "x-curlew-usage": "estimated" },
    };
  },
};

const responses: SocketFront<ResponsesOptions, ResponseObject> = {
  path: "/v1/responses",
  dialect: "openai-responses",
  description: {
    operationId: "createResponse",
    summary: "Answers a conversation and keeps the answer: OpenAI's Responses.",
    request,
    replies: { OpenAiResponse },
    canStream: true,
  },
  claims: ({ body }) => field(body, "input") !== undefined || field(body, "previous_response_id") !== undefined,
  parse: parseRequest,
  reply: writeReply,
  encoder: (request, head, out) => new ResponsesStreamEncoder(request, head, out),
  backgroundEncoder: (request, head, out) => new ResponsesStreamEncoder(request, head, out),
  keep: keepResponse,
  error: writeError,
  readMessage,
  errorMessage: writeErrorMessage,
};

export const openaiResponses: Dialect = {
  fronts: [responses, compact],
  endpoints: [inputTokens, ...storedEndpoints, ...conversationEndpoints],
  errorShapes: { OpenAiError },
  error: writeOpenAiError,
};
