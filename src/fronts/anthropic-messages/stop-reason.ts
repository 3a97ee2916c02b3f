import type { FinishReason } from "../../turn/event.js";

/** How a reply ended, as both forms of it say. */
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
