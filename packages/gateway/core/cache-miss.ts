import { estimatedInput } from "../turn/estimate.js";
import type { AssistantMessage, Message, Turn } from "../turn/turn.js";
import type { ColdPlan, ResumePlan, TurnPlan } from "./plan.js";
import type { Known } from "./sessions/known.js";
import { seenSettings } from "./sessions/positions.js";

/** The tokens of messages that the model had before. The prompt and the tools travel with every run, and do not count. */
function tokensSentAgain({ messages }: ResumePlan | ColdPlan): number {
  return tokensIn(historyOf(messages));
}

/** The same, with what Cursor may ask for again under another id. The cache may serve that, so it costs time and bytes. */
export function tokensUploadedAgain(plan: TurnPlan, { messages }: Turn): number {
  if (plan.kind === "results" || plan.kind === "repeat-calls") return 0;
  return plan.conversation.formerId === undefined ? tokensSentAgain(plan) : tokensIn(historyOf(messages));
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

export function tokensIn(messages: readonly Message[]): number {
  return estimatedInput({ system: "", tools: [], messages });
}

export type CacheMiss =
  /** This differs from the last turn of the conversation. The tokens are those that the cache would have had. */
  | { readonly changed: "model" | "system" | "tools" | "messages"; readonly tokens: number }
  | { readonly changed: "unknown" }
  /** The client has changed nothing: the state was lost here or at Cursor, or something else has changed. */
  | { readonly changed: "nothing" };

/** Undefined if no new run is started, or if it resumes the state without changes. */
export function cacheMissOf(
  plan: TurnPlan,
  turn: Turn,
  model: string,
  known: Pick<Known, "seenUnder">,
): CacheMiss | undefined {
  if (plan.kind === "results" || plan.kind === "repeat-calls") return undefined;
  // Nothing can be known about a first message, and most short requests have no other: skip the lookup.
  if (plan.continuity === "cold:new" && turn.messages.length === 1) return { changed: "unknown" };
  const seen = known.seenUnder;
  const tokens = () => tokensIn(historyOf(turn.messages));
  if (seen !== undefined && seen.model !== model) return { changed: "model", tokens: tokens() };
  switch (plan.continuity) {
    case "warm":
    case "warm:steered":
    case "resumed":
      return undefined;
    case "cold:new":
    case "cold:unknown-call":
      return { changed: "unknown" };
    case "cold:edited":
      return { changed: "messages", tokens: tokensSentAgain(plan) };
    case "warm:settings-changed": // Cursor has the conversation, but the model's cache begins with the prompt and the tools
    case "cold:settings-changed": {
      const now = seenSettings(turn, model);
      if (seen === undefined) return { changed: "nothing" };
      if (seen.system !== now.system) return { changed: "system", tokens: tokens() };
      return seen.tools === now.tools ? { changed: "nothing" } : { changed: "tools", tokens: tokens() };
    }
    case "cold:expired":
    case "cold:restarted":
    case "cold:raced":
    case "cold:superseded":
    case "cold:blob-missing":
      return { changed: "nothing" };
  }
}
