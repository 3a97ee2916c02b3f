import type { Usage } from "../../turn/event.js";
import { toTurnUsage } from "../parts/usage.js";

/** Anthropic counts what was read from the cache, or written to it, beside the input and not in it. */
export function toDeltaUsage(usage: Usage, turn?: Usage) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
    server_tool_use: null,
    ...toTurnUsage(usage, turn),
  };
}

/** The same with what only a message tells. Strict clients want every field, also of what Cursor says nothing about. */
export function toMessagesUsage(usage: Usage, turn?: Usage) {
  return { ...toDeltaUsage(usage, turn), cache_creation: null, inference_geo: null, service_tier: null, speed: null };
}
