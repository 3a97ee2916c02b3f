import type { FinishReason, Usage } from "../../turn/event.js";
import type { ReplyFacts } from "../front.js";
import type { OutputItem } from "./output-item.js";
import type { EchoedSettings } from "./settings.js";
import { toResponsesUsage } from "./usage.js";

/** How a response stands. */
type State =
  | { readonly status: "in_progress" }
  | {
      readonly status: "failed";
      readonly error: { readonly code: string; readonly message: string };
      readonly usage: Usage | undefined;
    }
  | {
      readonly status: "ended";
      readonly finish: FinishReason;
      readonly usage: Usage | undefined;
      readonly endedMs: number;
    };

/** The whole object, with every field that OpenAI's description or the Open Responses one wants. */
export function toResponse(
  { id, model, createdMs }: ReplyFacts,
  settings: EchoedSettings,
  output: readonly OutputItem[],
  state: State,
) {
  const created_at = Math.floor(createdMs / 1000);
  const head = { id: toResponseId(id), object: "response", created_at } as const;
  if (state.status === "in_progress") {
    const open = { completed_at: null, error: null, incomplete_details: null, usage: null };
    return { ...head, status: state.status, ...open, model, output, ...settings };
  }
  if (state.status === "failed") {
    const { code, message } = state.error;
    const told = { completed_at: null, error: { code, message }, incomplete_details: null };
    return { ...head, status: state.status, ...told, usage: toResponsesUsage(state.usage), model, output, ...settings };
  }
  const incomplete_details = toIncompleteDetails(state.finish);
  const isComplete = incomplete_details === null;
  return {
    ...head,
    status: isComplete ? ("completed" as const) : ("incomplete" as const),
    completed_at: isComplete ? Math.max(created_at, Math.floor(state.endedMs / 1000)) : null,
    error: null,
    incomplete_details,
    usage: toResponsesUsage(state.usage),
    model,
    output,
    ...settings,
  };
}

export type ResponseObject = ReturnType<typeof toResponse>;

export function toResponseId(replyId: string): string {
  return `resp_${replyId}`;
}

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
