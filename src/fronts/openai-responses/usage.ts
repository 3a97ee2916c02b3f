import type { Usage } from "../../turn/event.js";
import { toTurnUsage } from "../parts/usage.js";

/** Numbers always: some clients ask again without end when a finished response has none. */
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
