import { estimatedInput } from "../turn/estimate.js";
import type { AssistantMessage, Message } from "../turn/turn.js";
import type { Plan } from "./plan.js";

/**
 * The tokens that a plan sends although the model had them before: the messages up to the model's newest one. The system prompt
 * and the tools travel with every run, so they are not counted.
 */
export function tokensSentAgain(plan: Plan): number {
  switch (plan.kind) {
    case "title":
    case "results":
    case "repeat-calls":
      return 0;
    case "resume":
    case "cold":
      return tokensIn(historyOf(plan.messages));
  }
}

/** What came before the newest words or results of the client. Results that came in pieces belong together. */
export function historyOf(messages: readonly Message[]): readonly Message[] {
  const newest = messages.findLast(({ role }) => role === "assistant");
  if (newest?.role !== "assistant") return [];
  const ids = new Set(callIdsIn(newest));
  const isMade = (message: Message) => message.role === "assistant" && callIdsIn(message).some((id) => ids.has(id));
  const end = ids.size > 0 ? messages.findIndex(isMade) : messages.lastIndexOf(newest);
  return messages.slice(0, end + 1);
}

function callIdsIn({ content }: AssistantMessage): readonly string[] {
  return content.flatMap((block) => (block.type === "call" ? [block.id] : []));
}

/** The tokens of messages alone. */
export function tokensIn(messages: readonly Message[]): number {
  return estimatedInput({ system: "", tools: [], messages });
}
