import type { FinishReason, Usage } from "../../turn/event.js";
import type { ReplyHead } from "../front.js";
import { toTurnUsage } from "../parts/usage.js";
import type { OutputItem } from "./items/output-item.js";
import type { EchoedSettings } from "./settings.js";

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

/** Why a response that ended this way is incomplete. */
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
