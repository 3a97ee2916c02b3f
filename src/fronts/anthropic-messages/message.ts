import type { Usage } from "../../turn/event.js";
import type { ReplyFacts } from "../front.js";
import type { toStop } from "./stop-reason.js";
import { toMessagesUsage } from "./usage.js";

type Stop = ReturnType<typeof toStop> | typeof notStopped;

export const notStopped = { stop_reason: null, stop_sequence: null, stop_details: null };

/** A `message`, whole or as a stream begins with it, with every field that the official types require. */
export function toMessage(
  { id, model }: ReplyFacts,
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
    diagnostics: null,
    usage: toMessagesUsage(usage, turn),
  };
}

/** With an empty list of citations, as Anthropic's streams begin: Vercel's package takes null for a fault. */
export function toTextBlock(text: string) {
  return { type: "text", text, citations: [] };
}

export function toToolUse(id: string, name: string, input: unknown) {
  return { type: "tool_use", id, name, input, caller: { type: "direct" } };
}
