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
  | { readonly status: "in_progress" }
  | (Counted & { readonly status: "failed"; readonly error: { readonly code: string; readonly message: string } })
  | (Counted & { readonly status: "ended"; readonly finish: FinishReason; readonly endedMs: number });

/** The whole object, with every field that OpenAI's description or the Open Responses one requires. */
export function toResponse(
  { id, model, createdMs }: ReplyHead,
  settings: EchoedSettings,
  output: readonly OutputItem[],
  state: State,
) {
  return {
    id: `resp_${id}`,
    object: "response" as const,
    created_at: toSeconds(createdMs),
    ...toStatus(state, createdMs),
    model,
    output,
    ...settings,
  };
}

function toStatus(state: State, createdMs: number) {
  const open = { status: state.status, completed_at: null, error: null, incomplete_details: null, usage: null };
  if (state.status === "in_progress") return { ...open, status: state.status };
  const ended = { ...open, usage: toResponsesUsage(state.usage, state.turnUsage) };
  if (state.status === "failed") {
    const { code, message } = state.error;
    return { ...ended, status: state.status, error: { code, message } };
  }
  const incomplete_details = incompleteDetails[state.finish];
  if (incomplete_details !== null) return { ...ended, status: "incomplete" as const, incomplete_details };
  return { ...ended, status: "completed" as const, completed_at: toSeconds(Math.max(createdMs, state.endedMs)) };
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
