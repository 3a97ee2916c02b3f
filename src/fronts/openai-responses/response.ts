import type { TurnResult } from "../../turn/collect.js";
import type { GatewayError } from "../../turn/error.js";
import type { FinishReason, Usage } from "../../turn/event.js";
import type { ReplyHead, WrittenError } from "../front.js";
import { toOpenAiError } from "../parts/error.js";
import { toTurnUsage } from "../parts/usage.js";
import { type ItemType, type OutputItem, toCall, toItemId, toMessage, toReasoning } from "./items/output-item.js";
import type { ResponsesOptions } from "./parse.js";
import { type EchoedSettings, toSettings } from "./settings.js";

interface Counted {
  readonly usage: Usage | undefined;
  readonly turnUsage?: Usage | undefined;
}

/** The status of a response, with its end. */
type State =
  | { readonly status: "queued" | "in_progress" }
  | (Counted & { readonly status: "cancelled" })
  | (Counted & { readonly status: "failed"; readonly error: { readonly code: string; readonly message: string } })
  | (Counted & { readonly status: "ended"; readonly finish: FinishReason; readonly endedMs: number });

/** The whole object, with every field that OpenAI's description or the Open Responses one requires. */
export function toResponse(head: ReplyHead, settings: EchoedSettings, output: readonly OutputItem[], state: State) {
  const { model, createdMs } = head;
  return {
    id: toResponseId(head),
    object: "response" as const,
    created_at: toSeconds(createdMs),
    ...toStatus(state, createdMs),
    model,
    output,
    ...settings,
  };
}

export function toResponseId({ id }: Pick<ReplyHead, "id">): string {
  return `resp_${id}`;
}

function toStatus(state: State, createdMs: number) {
  const open = { status: state.status, completed_at: null, error: null, incomplete_details: null, usage: null };
  const usage = "usage" in state ? toResponsesUsage(state.usage, state.turnUsage) : null;
  switch (state.status) {
    case "queued":
    case "in_progress":
      return { ...open, status: state.status };
    case "cancelled":
      return { ...open, status: state.status, usage };
    case "failed": {
      const { code, message } = state.error;
      return { ...open, status: state.status, usage, error: { code, message } };
    }
    case "ended": {
      const incomplete_details = incompleteDetails[state.finish];
      if (incomplete_details !== null) return { ...open, status: "incomplete" as const, usage, incomplete_details };
      const completed_at = toSeconds(Math.max(createdMs, state.endedMs));
      return { ...open, status: "completed" as const, usage, completed_at };
    }
  }
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

export type ResponseObject = ReturnType<typeof toResponse>;

export const incompleteDetails: Readonly<Record<FinishReason, { readonly reason: string } | null>> = {
  stop: null,
  "tool-calls": null,
  length: { reason: "max_output_tokens" },
  filtered: { reason: "content_filter" },
};

/** The counts are always numbers: some clients ask again endlessly when a finished response has none. */
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
  result: TurnResult,
  request: ResponsesOptions,
  head: ReplyHead,
  endedMs: number,
): ResponseObject {
  const { usage, turnUsage, finish } = result;
  const output = toOutput(result, request, head);
  const state = { status: "ended", finish, usage, turnUsage, endedMs } as const;
  return toResponse(head, request.settings, output, state);
}

function toOutput({ blocks, finish }: TurnResult, request: ResponsesOptions, { id }: ReplyHead): OutputItem[] {
  const { names, isReasoningSealed: isSealed } = request;
  const isCut = incompleteDetails[finish] !== null;
  const toItem = (block: TurnResult["blocks"][number], index: number): OutputItem => {
    const idOf = (type: ItemType) => toItemId(type, id, index);
    const status = isCut && index === blocks.length - 1 ? "incomplete" : "completed";
    switch (block.type) {
      case "text":
        return toMessage(idOf("message"), block.text, status);
      case "thinking":
        return toReasoning(idOf("reasoning"), block, { isSealed, status });
      case "call": {
        const tool = names.toClient(block.name);
        return toCall(idOf(tool.isCustom ? "custom_tool_call" : "function_call"), block, tool, "completed");
      }
    }
  };
  return blocks.map(toItem);
}

export function writeError(error: GatewayError, requestId: string, nowMs: number): WrittenError {
  const written = toDialectError(error);
  // This is for a stream on which no response has begun. Strict clients require every field before they read the message.
  const head = { id: requestId, model: "unknown", createdMs: nowMs };
  const response = toResponse(head, toSettings({ model: head.model }), [], {
    status: "failed",
    error: written,
    usage: undefined,
  });
  return {
    status: written.status,
    body: { error: written },
    frame: {
      event: "response.failed",
      data: JSON.stringify({ type: "response.failed", response, sequence_number: 0 }),
    },
  };
}

/** A missing response is a 404 when it is read, and a bad request when a new response should continue it. */
export function toDialectError(error: GatewayError) {
  const written = toOpenAiError(error);
  return error.code === "response_not_found" && error.param === "previous_response_id"
    ? { ...written, code: "previous_response_not_found", status: 400 }
    : written;
}
