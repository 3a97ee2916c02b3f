import type { FinishReason, Usage } from "../../turn/event.js";
import type { ReplyFacts } from "../front.js";
import type { OutputItem } from "./items/output-item.js";
import type { EchoedSettings } from "./settings.js";
import { toResponsesUsage } from "./usage.js";

/** How a response stands. */
type State =
  | { readonly status: "in_progress" }
  | {
      readonly status: "failed";
      readonly error: { readonly code: string; readonly message: string };
      readonly usage: Usage | undefined;
      readonly turnUsage?: Usage | undefined;
    }
  | {
      readonly status: "ended";
      readonly finish: FinishReason;
      readonly usage: Usage | undefined;
      readonly turnUsage?: Usage | undefined;
      readonly endedMs: number;
    };

/** The whole object, with every field that OpenAI's description or the Open Responses one wants. */
export function toResponse(
  { id, model, createdMs }: ReplyFacts,
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
  const incomplete_details = toIncompleteDetails(state.finish);
  if (incomplete_details !== null) return { ...ended, status: "incomplete" as const, incomplete_details };
  return { ...ended, status: "completed" as const, completed_at: toSeconds(Math.max(createdMs, state.endedMs)) };
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

export type ResponseObject = ReturnType<typeof toResponse>;

export function toIncompleteDetails(finish: FinishReason) {
  switch (finish) {
    case "stop":
    case "tool-calls":
      return null;
    case "length":
      return { reason: "max_output_tokens" } as const;
    case "filtered":
      return { reason: "content_filter" } as const;
  }
}
