import type { Usage } from "../../packages/gateway/turn/event.js";

/** Every figure differs, so that none can stand for another. */
export const sampleUsage: Usage = {
  inputTokens: 100,
  outputTokens: 20,
  cacheReadTokens: 60,
  cacheWriteTokens: 5,
  reasoningTokens: 8,
  estimated: false,
};
