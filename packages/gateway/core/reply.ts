import type { BackendName } from "../backends/backend.js";
import { estimatedUsage } from "../turn/estimate.js";
import type { Batch, FinishReason, TurnEvents } from "../turn/event.js";
import type { CacheMiss } from "./cache-miss.js";
import type { Continuity } from "./continuity.js";

/** What a front must know before the first byte, and the events. */
export interface Reply {
  readonly backend: BackendName;
  readonly model: string;
  readonly continuity: Continuity;
  /** Sentences for the client. The list may grow up to the end of the reply. */
  readonly warnings: readonly string[];
  readonly cacheMiss?: CacheMiss | undefined;
  readonly events: TurnEvents;
}

const usage = estimatedUsage(0, 0);

/** A reply of just these events, without a run. */
export function replyAlone(said: Batch, reason: FinishReason): TurnEvents {
  return batches([...said, { type: "usage", usage }, { type: "finish", reason }]);
}

export async function* batches(...all: readonly Batch[]): AsyncGenerator<Batch, undefined> {
  yield* all;
}
