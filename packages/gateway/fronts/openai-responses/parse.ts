import { GatewayError } from "../../turn/error.js";
import { MAX_MESSAGES } from "../../turn/request-limits.js";
import type { AnswerFormat } from "../../turn/turn.js";
import type { ClientRequest, ParsedRequest } from "../front.js";
import { invalidField } from "../parts/query.js";
import { isSet, missingMessages, readBody, unhonoured, unsupported, warnOfLeftOut } from "../parts/request-problem.js";
import { toLimits } from "../parts/request-schema.js";
import { toConversation } from "./conversation.js";
import { Input } from "./item-schema.js";
import { Offer, ResponsesRequest } from "./schema.js";
import { type EchoedSettings, toSettings } from "./settings.js";
import { type RawItem, resolveItems } from "./stored/input-items.js";
import { StoredConversations } from "./stored/stored-conversations.js";
import { chainTooLong, StoredResponses } from "./stored/stored-responses.js";
import { type ToolNames, toTools } from "./tools.js";

const warnOfUnhonoured = unhonoured<ResponsesRequest>({
  temperature: ({ temperature }) => isSet(temperature) && temperature !== 1,
  top_p: ({ top_p }) => isSet(top_p) && top_p !== 1,
  presence_penalty: ({ presence_penalty }) => Boolean(presence_penalty),
  frequency_penalty: ({ frequency_penalty }) => Boolean(frequency_penalty),
  top_logprobs: ({ top_logprobs }) => Boolean(top_logprobs),
  "message.output_text.logprobs": ({ include }) => include?.includes("message.output_text.logprobs") ?? false,
  max_tool_calls: ({ max_tool_calls }) => isSet(max_tool_calls),
  context_management: ({ context_management }) => (context_management ?? []).length > 0,
  "text.verbosity": ({ text }) => isSet(text?.verbosity) && text?.verbosity !== "medium",
  "filters and external_web_access of web_search": ({ tools }) =>
    tools?.some(({ filters, external_web_access }) => isSet(filters) || external_web_access === false) ?? false,
  service_tier: ({ service_tier }) => isSet(service_tier) && !["auto", "default"].includes(service_tier),
});

export interface ResponsesOptions {
  readonly settings: EchoedSettings;
  readonly names: ToolNames;
  /** Whether reasoning items carry what the client needs to send them back. */
  readonly isReasoningSealed: boolean;
  /** The input to keep with the response; empty if the response is not kept. */
  readonly items: readonly RawItem[];
}

export function parseRequest({ body, store }: Pick<ClientRequest, "body" | "store">): ParsedRequest<ResponsesOptions> {
  const request = readBody(ResponsesRequest, body);
  refuseUnsupported(request, store);
  const stored = new StoredResponses(store);
  const own = resolveItems(request.input, stored);
  const history = readHistory(request, own.items, store);
  const hasConnection = store.connection !== undefined;
  if (hasConnection && request.previous_response_id) refuseUnknownOutputs(own.items, history);
  const items = [...readBody(Input, { input: history }).input, ...readBody(Input, { input: own.items }).input];
  const offer = readBody(Offer, { tools: request.tools ?? [], tool_choice: request.tool_choice ?? "auto" });
  const moreTools = items.flatMap((item) => (item.type === "additional_tools" ? item.tools : []));
  const { names, warnings, ...tools } = toTools([...offer.tools, ...moreTools], offer.tool_choice);
  const isWarmUp = hasConnection && request.generate === false;
  const { instructions } = request;
  const { system, messages, leftOut } = toConversation({ items, instructions: instructions ?? "", names, isWarmUp });
  if (messages.length === 0 && !isWarmUp) {
    throw missingMessages("This request has no input to answer; add a message.", "input");
  }
  const settings = toSettings(request);
  return {
    turn: {
      model: request.model,
      system,
      messages,
      ...tools,
      parallelToolCalls: settings.parallel_tool_calls,
      ...(request.reasoning?.effort ? { effort: request.reasoning.effort } : {}),
      ...toLimits(undefined, request.max_output_tokens),
      ...toAnswerFormat(request.text?.format),
      warnings: [
        ...warnOfUnhonoured(request),
        ...warnings,
        ...warnOfLeftOut("Input of these types is not supported and was left out", leftOut),
        ...warnOfMissing(own.missing),
      ],
    },
    wantsStream: request.stream ?? false,
    isWarmUp,
    isBackground: settings.background,
    request: {
      settings,
      names,
      isReasoningSealed: request.include?.includes("reasoning.encrypted_content") ?? false,
      items: settings.store || hasConnection || settings.conversation ? own.items : [],
    },
  };
}

/** The items before the input. @throws {GatewayError} They are not stored here, or too many. */
function readHistory(
  { previous_response_id, conversation }: ResponsesRequest,
  own: readonly RawItem[],
  store: ClientRequest["store"],
): readonly RawItem[] {
  if (conversation) {
    const conversations = new StoredConversations(store);
    conversations.requireRoom(conversation, own.length, 0);
    return conversations.items(conversation);
  }
  const history = previous_response_id ? new StoredResponses(store).history(previous_response_id) : [];
  if (history.length + own.length > MAX_MESSAGES) throw chainTooLong();
  return history;
}

/**
 * On a WebSocket the client sends only what is new, so an output without its call means that it and the gateway disagree about
 * what was said. Over HTTP such an output is accepted, because clients may trim what they resend.
 */
function refuseUnknownOutputs(own: readonly RawItem[], history: readonly RawItem[]): void {
  const isCall = ({ type }: RawItem) => String(type).endsWith("_call");
  const called = new Set([...history, ...own].filter(isCall).map(({ call_id }) => call_id));
  const isOutput = ({ type }: RawItem) => type === "function_call_output" || type === "custom_tool_call_output";
  const unknown = own.find((item) => isOutput(item) && !called.has(item.call_id));
  if (unknown === undefined) return;
  const text = `No tool call found for function call output with call_id ${String(unknown.call_id).slice(0, 100)}.`;
  throw new GatewayError(
    "invalid_request",
    `${text} Send the whole conversation as input, without previous_response_id.`,
    {
      param: "input",
    },
  );
}

function refuseUnsupported(
  { background, store: isStored, conversation, previous_response_id, prompt }: ResponsesRequest,
  { connection }: ClientRequest["store"],
): void {
  if (background === true && connection !== undefined) {
    throw unsupported("background", "not available on a WebSocket; use POST /v1/responses");
  }
  if (background === true && isStored === false) {
    throw invalidField("background", "a background response must be stored, to be read later; leave out store: false");
  }
  if (conversation && previous_response_id) {
    throw invalidField("conversation", "cannot be used together with previous_response_id; leave out one of them");
  }
  if (prompt !== undefined && prompt !== null) {
    throw unsupported("prompt", "prompts stored at OpenAI cannot be used here; send instructions and input");
  }
}

function toAnswerFormat(format: NonNullable<ResponsesRequest["text"]>["format"]): { format?: AnswerFormat } {
  if (format?.type === "json_object") return { format: { type: "json" } };
  if (format?.type !== "json_schema") return {};
  const { name, schema } = format;
  return { format: { type: "json-schema", name: name || "answer", schema, param: "text.format.schema" } };
}

function warnOfMissing(count: number): string[] {
  return count === 0 ? [] : [`${count} items that the input refers to are not stored here and were left out.`];
}
