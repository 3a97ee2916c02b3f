import type { Exchange } from "../../packages/gateway/backends/backend.js";
import type { ParkedRun } from "../../packages/gateway/core/sessions/parking.js";
import { LoopGuard } from "../../packages/gateway/core/tools/loop-guard.js";
import { RequestRecord } from "../../packages/gateway/turn/events/channels.js";

/** A run that waits for the result of the call `one`, with the changes of a test. */
export function sampleRun(exchange: Exchange, changes: Partial<ParkedRun> = {}): ParkedRun {
  return {
    exchange,
    backend: "agent",
    askedModel: "auto",
    askedEffort: undefined,
    model: { id: "default", parameters: [], isMax: false, shownAs: "auto", warnings: [] },
    owner: "me",
    conversationId: "of the run",
    lineage: "of the run",
    firstKey: "first",
    knownReminders: new Set(),
    keys: new Set(["key"]),
    bareKeys: new Set(),
    seenCalls: new Set(["one"]),
    carriers: new Map(),
    tools: [],
    madeUnder: { system: "", tools: "", model: "default" },
    guard: new LoopGuard(2),
    isForced: false,
    bytes: 100,
    pausedMs: 0,
    pausedBy: new RequestRecord("g", "r", 0),
    ...changes,
  };
}
