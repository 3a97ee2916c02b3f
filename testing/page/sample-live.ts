import type { LiveRequest } from "../../packages/page/access/contract.js";

/** A request that has just come. */
export function sampleLive(more: Partial<LiveRequest> = {}): LiveRequest {
  const what = { id: "live-1", client: "opencode", dialect: "openai-chat", model: "composer-2.5" };
  const times = { startedMs: 0, plannedMs: null, openedMs: null, firstByteMs: null };
  return { ...what, ...times, round: 0, side: null, continuity: null, ...more };
}
