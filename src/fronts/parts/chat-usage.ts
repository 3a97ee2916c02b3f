import type { Usage } from "../../turn/event.js";
import { toTurnUsage } from "./turn-usage.js";

/** How the APIs that speak of prompts and completions count. */
export function toChatUsage(usage: Usage, turn?: Usage) {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    ...toTurnUsage(usage, turn),
  };
}
