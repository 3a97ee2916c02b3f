import type { Usage } from "../../turn/event.js";

/**
 * What the whole turn took, beside what the last model call of the reply has read: clients compact by the one, and the other is
 * what counts at Cursor. The same words in all dialects, none of which has a place for it. Left out where there was no other call.
 */
export function toTurnUsage(usage: Usage, turn: Usage | undefined) {
  if (turn === undefined || turn.inputTokens === usage.inputTokens) return {};
  return {
    curlew_turn: {
      input_tokens: turn.inputTokens,
      output_tokens: turn.outputTokens,
      cache_read_tokens: turn.cacheReadTokens,
      cache_write_tokens: turn.cacheWriteTokens,
      reasoning_tokens: turn.reasoningTokens,
    },
  };
}

/** The same for the head of a reply in one piece, as `input_tokens=900 output_tokens=8 ...`. */
export function turnUsageHeader(usage: Usage, turn: Usage | undefined): Record<string, string> {
  const { curlew_turn: counts } = toTurnUsage(usage, turn);
  if (counts === undefined) return {};
  const words = Object.entries(counts).map(([name, tokens]) => `${name}=${tokens}`);
  return { "x-curlew-turn-usage": words.join(" ") };
}

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
