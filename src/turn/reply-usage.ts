import type { Usage } from "./event.js";

/**
 * The usage that the last reply of a turn reports. It is the context of the last model call, not the sum of all calls, because
 * clients judge by it how full their context is. Cursor does not report how much of that call came from the cache, so we assume
 * the share of the whole turn.
 */
export function usageInContext(turn: Usage, contextTokens: number): Usage {
  const inputTokens = Math.min(turn.inputTokens, contextTokens);
  const share = turn.inputTokens === 0 ? 0 : inputTokens / turn.inputTokens;
  const cacheReadTokens = Math.min(inputTokens, Math.round(turn.cacheReadTokens * share));
  const cacheWriteTokens = Math.min(inputTokens - cacheReadTokens, Math.round(turn.cacheWriteTokens * share));
  return { ...turn, inputTokens, cacheReadTokens, cacheWriteTokens };
}

/** The same when Cursor does not report the context: the mean of all calls, or our own estimate if that is larger. */
export function usageOfLastCall(turn: Usage, modelCalls: number, estimatedTokens: number): Usage {
  if (modelCalls <= 1) return usageInContext(turn, turn.inputTokens);
  const meanTokens = Math.ceil(turn.inputTokens / modelCalls);
  return { ...usageInContext(turn, Math.max(meanTokens, estimatedTokens)), estimated: true };
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    estimated: a.estimated || b.estimated,
  };
}
