import type { Usage } from "./event.js";

/**
 * What a reply tells of a turn that is over: the context of its last model call, by which clients judge how full theirs is, and
 * not the sum over all of them. Nobody tells how much of that one call came from the cache, so it is taken to be the same share.
 */
export function usageInContext(turn: Usage, contextTokens: number): Usage {
  const inputTokens = Math.min(turn.inputTokens, contextTokens);
  const share = turn.inputTokens === 0 ? 0 : inputTokens / turn.inputTokens;
  const cacheReadTokens = Math.min(inputTokens, Math.round(turn.cacheReadTokens * share));
  const cacheWriteTokens = Math.min(inputTokens - cacheReadTokens, Math.round(turn.cacheWriteTokens * share));
  return { ...turn, inputTokens, cacheReadTokens, cacheWriteTokens };
}

/** The same where nobody tells the context: the mean of the calls, which the last one exceeds, or our own guess if that is more. */
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
