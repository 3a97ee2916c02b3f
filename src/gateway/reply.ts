import type { BackendName } from "../backends/backend.js";
import { estimatedUsage } from "../turn/estimate.js";
import type { Batch, TurnEvents } from "../turn/event.js";
import type { CacheMiss } from "./cache-miss.js";
import type { Continuity } from "./continuity.js";

/** What a front must know before the first byte, and the events. */
export interface Reply {
  readonly backend: BackendName;
  /** The model that answers, by the name that Cursor shows people. */
  readonly model: string;
  readonly continuity: Continuity;
  /** Sentences for the client. The list may grow up to the end of the reply. */
  readonly warnings: readonly string[];
  readonly cacheMiss?: CacheMiss | undefined;
  readonly events: TurnEvents;
}

const nothingUsed = estimatedUsage(0, 0);

/** A reply that is just this text, without usage. */
export function wordsAlone(delta: string): TurnEvents {
  return batches([
    { type: "text", delta },
    { type: "usage", usage: nothingUsed },
    { type: "finish", reason: "stop" },
  ]);
}

export function callsAlone(calls: Batch): TurnEvents {
  return batches([...calls, { type: "usage", usage: nothingUsed }, { type: "finish", reason: "tool-calls" }]);
}

export async function* batches(...all: readonly Batch[]): AsyncGenerator<Batch, undefined> {
  yield* all;
}
