import type { TurnResult } from "../../turn/collect.js";
import type { GatewayError } from "../../turn/error.js";
import { estimatedUsage } from "../../turn/estimate.js";
import type { FinishReason, Usage } from "../../turn/event.js";
import { parseJson } from "../../turn/read-json.js";
import type { Frame } from "../frame.js";
import type { ReplyHead, WrittenError } from "../front.js";
import { errorForms } from "../parts/error.js";
import { toTurnUsage } from "../parts/usage.js";

export interface MessagesOptions {
  /** Whether the client sees the model's thinking: all of it, only that it happened, or nothing. */
  readonly thinking: "shown" | "omitted" | "none";
  /** An estimate for the beginning of the answer; the true count comes at its end. */
  readonly inputTokens: number;
}

/** The signature of thinking that Cursor did not sign: clients require one and send it back. */
export const OWN_SIGNATURE = Buffer.from("curlew: thinking without a signature").toString("base64");

type Stop = ReturnType<typeof toStop> | typeof notStopped;

export const notStopped = { stop_reason: null, stop_sequence: null, stop_details: null };

/** A `message`, complete or as the first event of a stream, with every field that the official types require. */
export function toMessage(
  { id, model, cacheMiss }: ReplyHead,
  content: readonly object[],
  stop: Stop,
  usage: Usage,
  turn?: Usage,
) {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content,
    ...stop,
    container: null,
    context_management: null,
    diagnostics: cacheMiss === undefined ? null : { cache_miss_reason: toMissReason(cacheMiss) },
    // Strict clients require every field, even those that Cursor reports nothing about.
    usage: { ...toDeltaUsage(usage, turn), cache_creation: null, inference_geo: null, service_tier: null, speed: null },
  };
}

/** Conversations are identified by their content, not by the id of their last message. */
function toMissReason(miss: NonNullable<ReplyHead["cacheMiss"]>) {
  switch (miss.changed) {
    case "model":
    case "system":
    case "tools":
    case "messages":
      return { type: `${miss.changed}_changed`, cache_missed_input_tokens: miss.tokens };
    case "unknown":
      return { type: "previous_message_not_found" };
    case "nothing":
      return { type: "unavailable" };
  }
}

/** The list of citations is empty, as in Anthropic's own streams: Vercel's package rejects null. */
export function toTextBlock(text: string) {
  return { type: "text", text, citations: [] };
}

export function toToolUse(id: string, name: string, input: unknown) {
  return { type: "tool_use", id, name, input, caller: { type: "direct" } };
}

/** How a reply ended, in the fields that whole and streamed replies share. */
export function toStop(reason: FinishReason, stopSequence: string | undefined) {
  const isRefusal = reason === "filtered";
  return {
    stop_reason: reason === "stop" && stopSequence !== undefined ? "stop_sequence" : stopReasons[reason],
    stop_sequence: stopSequence ?? null,
    stop_details: isRefusal ? { type: "refusal", category: null, explanation: null } : null,
  };
}

const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: "end_turn",
  "tool-calls": "tool_use",
  length: "max_tokens",
  filtered: "refusal",
};

/** Anthropic's `input_tokens` exclude the tokens that were read from the cache or written to it. */
export function toDeltaUsage(usage: Usage, turn?: Usage) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
    server_tool_use: null,
    iterations: null,
    fallback_credit: null,
    ...toTurnUsage(usage, turn),
  };
}

/** The type is also sent as the event's name: some clients drop streams that have it only in the JSON. */
export function toFrame(event: { readonly type: string; readonly [field: string]: unknown }): Frame {
  return { event: event.type, data: JSON.stringify(event) };
}

export function writeReply(result: TurnResult, { thinking, inputTokens }: MessagesOptions, head: ReplyHead) {
  const { blocks, text, usage, turnUsage, finish, stopSequence } = result;
  const content = blocks.flatMap((block) => writeBlock(block, thinking));
  const counted = usage ?? estimatedUsage(inputTokens, text.length);
  return toMessage(head, content, toStop(finish, stopSequence), counted, turnUsage);
}

function writeBlock(block: TurnResult["blocks"][number], thinking: MessagesOptions["thinking"]): object[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [toTextBlock(block.text)];
    case "thinking": {
      if (thinking === "none") return [];
      const shown = thinking === "shown" ? block.text : "";
      return [{ type: "thinking", thinking: shown, signature: block.signature ?? OWN_SIGNATURE }];
    }
    case "call": {
      const input = parseJson(block.input);
      // A call whose arguments were cut off has no input.
      return [toToolUse(block.id, block.name, input === undefined ? {} : input)];
    }
  }
}

/** Anthropic has its own status for this error. */
const OVERLOADED_STATUS = 529;

export function writeError(error: GatewayError, requestId: string): WrittenError {
  const { kind, message, code, param } = error;
  const { status, anthropic: type } = errorForms[kind];
  const details = code === "thread_unsupported" ? threadsUnsupported : undefined;
  const body = {
    type: "error",
    error: { type, message, code, ...(param !== undefined && { param }), ...(details && { details }) },
    request_id: requestId || null,
  };
  return { status: kind === "overloaded" ? OVERLOADED_STATUS : status, body, frame: toFrame(body) };
}

/** The official client recognises these values and continues without a thread. */
const threadsUnsupported = { error_code: "thread_unsupported_request", unsupported: ["thread"] };
