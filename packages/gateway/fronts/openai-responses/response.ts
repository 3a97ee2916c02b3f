import type { TurnResult } from "../../turn/collect.js";
import type { GatewayError } from "../../turn/error.js";
import type { FinishReason, Usage } from "../../turn/event.js";
import type { ReplyHead, WrittenError } from "../front.js";
import { toOpenAiError } from "../parts/error.js";
import { toTurnUsage } from "../parts/usage.js";
import { type ItemType, type OutputItem, toCall, toItemId, toMessage, toReasoning } from "./items/output-item.js";
import type { ResponsesOptions } from "./parse.js";
import { type EchoedSettings, toSettings } from "./settings.js";

/** How far a response is, and how it has ended. */
interface State {
  readonly status: "queued" | "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";
  readonly completed_at?: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly incomplete_details?: { readonly reason: string };
  readonly usage?: ReturnType<typeof toResponsesUsage>;
}

/** The whole object, with every field that OpenAI's description or the Open Responses one requires. */
export function toResponse(head: ReplyHead, settings: EchoedSettings, output: readonly OutputItem[], state: State) {
  return {
    id: toResponseId(head),
    object: "response" as const,
    created_at: toSeconds(head.createdMs),
    status: state.status,
    completed_at: state.completed_at ?? null,
    error: state.error ?? null,
    incomplete_details: state.incomplete_details ?? null,
    usage: state.usage ?? null,
    model: head.model,
    output,
    ...settings,
  };
}

export function toResponseId({ id }: Pick<ReplyHead, "id">): string {
  return `resp_${id}`;
}

/** The end of a response that was not broken off. */
export function toEnd(finish: FinishReason, { createdMs }: ReplyHead, endedMs: number) {
  const incomplete_details = incompleteDetails[finish];
  if (incomplete_details !== null) return { status: "incomplete" as const, incomplete_details };
  return { status: "completed" as const, completed_at: toSeconds(Math.max(createdMs, endedMs)) };
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

export type ResponseObject = ReturnType<typeof toResponse>;

const incompleteDetails: Readonly<Record<FinishReason, { readonly reason: string } | null>> = {
  stop: null,
  "tool-calls": null,
  length: { reason: "max_output_tokens" },
  filtered: { reason: "content_filter" },
};

/** The counts are always numbers: some clients retry endlessly when a finished response has none. */
export function toResponsesUsage(usage: Usage | undefined, turn?: Usage) {
  const {
    inputTokens = 0,
    outputTokens = 0,
    cacheReadTokens = 0,
    cacheWriteTokens = 0,
    reasoningTokens = 0,
  } = usage ?? {};
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
    ...(usage !== undefined && toTurnUsage(usage, turn)),
  };
}

/** A whole `response`, equal to the last event of a stream of the same events. */
export function writeReply(
  { blocks, finish, usage, turnUsage }: TurnResult,
  { names, isReasoningSealed: isSealed, settings }: ResponsesOptions,
  head: ReplyHead,
  endedMs: number,
): ResponseObject {
  const end = toEnd(finish, head, endedMs);
  const toItem = (block: TurnResult["blocks"][number], index: number): OutputItem => {
    const idOf = (type: ItemType) => toItemId(type, head.id, index);
    const status = index === blocks.length - 1 ? end.status : "completed";
    switch (block.type) {
      case "text":
        return toMessage(idOf("message"), block.text, status);
      case "thinking":
        return toReasoning(idOf("reasoning"), block, { isSealed, status });
      case "call":
        return toCall(idOf, block, names.toClient(block.name), "completed");
    }
  };
  return toResponse(head, settings, blocks.map(toItem), { ...end, usage: toResponsesUsage(usage, turnUsage) });
}

export function writeError(error: GatewayError, requestId: string, nowMs: number): WrittenError {
  const written = toDialectError(error);
  // This is for a stream on which no response has begun. Strict clients require every field before they read the message.
  const head = { id: requestId, model: "unknown", createdMs: nowMs };
  const failed = { status: "failed", error: toFailure(error), usage: toResponsesUsage(undefined) } as const;
  const response = toResponse(head, toSettings({ model: head.model }), [], failed);
  return {
    status: written.status,
    body: { error: written },
    frame: {
      event: "response.failed",
      data: JSON.stringify({ type: "response.failed", response, sequence_number: 0 }),
    },
  };
}

/** The part of an error that a response has. */
export function toFailure(error: GatewayError) {
  const { code, message } = toDialectError(error);
  return { code, message };
}

/** A missing response is a 404 when it is read, and a bad request when a new response should continue it. */
export function toDialectError(error: GatewayError) {
  const written = toOpenAiError(error);
  return error.code === "response_not_found" && error.param === "previous_response_id"
    ? { ...written, code: "previous_response_not_found", status: 400 }
    : written;
}
