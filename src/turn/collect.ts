import type { CallBlock } from "./blocks.js";
import type { Batch, FinishReason, TurnEvents, Usage } from "./event.js";

/** A whole reply, for clients that do not stream. */
export interface TurnResult {
  text: string;
  thinking: string;
  calls: readonly CallBlock[];
  usage: Usage | undefined;
  finish: FinishReason;
  stopSequence: string | undefined;
}

export async function collect(events: TurnEvents): Promise<TurnResult> {
  const collector = new Collector();
  for await (const batch of events) collector.push(batch);
  return collector.end();
}

class Collector {
  #text = "";
  #thinking = "";
  readonly #calls = new Map<string, CallBlock>();
  #usage: Usage | undefined;
  #finish: FinishReason = "stop";
  #stopSequence: string | undefined;

  push(batch: Batch): void {
    for (const event of batch) {
      switch (event.type) {
        case "text":
          this.#text += event.delta;
          break;
        case "thinking":
          this.#thinking += event.delta;
          break;
        case "call":
          // What the gateway or the backend runs itself is progress, not a call for the client.
          if (event.runs === "client") {
            this.#calls.set(event.id, { type: "call", id: event.id, name: event.name, input: "" });
          }
          break;
        case "call-input": {
          const call = this.#calls.get(event.id);
          if (call !== undefined) call.input += event.delta;
          break;
        }
        case "usage":
          this.#usage = event.usage;
          break;
        case "finish":
          this.#finish = event.reason;
          this.#stopSequence = event.stopSequence;
          break;
        case "call-end":
        case "call-result":
        case "checkpoint":
          break;
      }
    }
  }

  end(): TurnResult {
    return {
      text: this.#text,
      thinking: this.#thinking,
      calls: [...this.#calls.values()],
      usage: this.#usage,
      finish: this.#finish,
      stopSequence: this.#stopSequence,
    };
  }
}
