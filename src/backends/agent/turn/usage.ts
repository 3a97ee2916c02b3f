import type { TurnEndedUpdate } from "../../../gen/agent_v1_pb.js";
import type { Usage } from "../../../turn/event.js";

/** The wire's `input_tokens` is taken to count cache reads too. One place to turn if that proves wrong. */
const INPUT_INCLUDES_CACHE_READS = true;

/** What the turn cost by Cursor's own count; undefined when it does not say. */
export function measuredUsage(ended: TurnEndedUpdate): Usage | undefined {
  if (ended.inputTokens === undefined && ended.outputTokens === undefined) return undefined;
  const cacheReadTokens = Number(ended.cacheReadTokens ?? 0n);
  return {
    inputTokens: Number(ended.inputTokens ?? 0n) + (INPUT_INCLUDES_CACHE_READS ? 0 : cacheReadTokens),
    outputTokens: Number(ended.outputTokens ?? 0n),
    cacheReadTokens,
    cacheWriteTokens: Number(ended.cacheWriteTokens ?? 0n),
    reasoningTokens: Number(ended.reasoningTokens ?? 0n),
    estimated: false,
  };
}
