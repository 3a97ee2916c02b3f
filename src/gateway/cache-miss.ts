import type { Known } from "../sessions/known.js";
import { seenSettings } from "../sessions/seen-replies.js";
import type { Turn } from "../turn/turn.js";
import type { Plan } from "./plan.js";
import { historyOf, tokensIn, tokensSentAgain } from "./sent-again.js";

/** Why the model could not read the conversation from its cache. */
export type CacheMiss =
  /** This differs from the last turn of the conversation. The tokens are those that the cache would have had. */
  | { readonly changed: "model" | "system" | "tools" | "messages"; readonly tokens: number }
  /** Nothing is known of the conversation. */
  | { readonly changed: "unknown" }
  /** The client has changed nothing: the state was lost here or at Cursor, or something else has changed. */
  | { readonly changed: "nothing" };

/** Why the model cannot read the turn's conversation from its cache; undefined when it can. */
export function cacheMissOf(
  plan: Plan,
  turn: Turn,
  model: string,
  known: Pick<Known, "seenUnder">,
): CacheMiss | undefined {
  switch (plan.kind) {
    case "title":
    case "repeat-calls":
    case "results":
      return undefined; // no model reads the conversation, or the one that has it in mind goes on
    case "resume":
    case "cold":
      break;
  }
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
      if (seen === undefined) return { changed: "nothing" }; // noted by a version that did not say under which
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
