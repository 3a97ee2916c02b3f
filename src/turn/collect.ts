import { type CallBlock, joinText, type TextBlock, type ThinkingBlock } from "./blocks.js";
import type { Batch, FinishReason, TurnEvents, Usage } from "./event.js";

type ReplyBlock = TextBlock | ThinkingBlock | CallBlock;

export interface TurnResult {
  /** The whole reply in the order in which it came. The next three fields hold the same content by kind. */
  blocks: readonly ReplyBlock[];
  text: string;
  thinking: string;
  calls: readonly CallBlock[];
  usage: Usage | undefined;
  /** The usage of the whole turn, when the reply is its last. */
  turnUsage?: Usage | undefined;
  finish: FinishReason;
  stopSequence: string | undefined;
}

export async function collect(events: TurnEvents): Promise<TurnResult> {
  const collector = new Collector();
  for await (const batch of events) collector.push(batch);
  return collector.end();
}

class Collector {
  readonly #blocks: ReplyBlock[] = [];
  readonly #calls = new Map<string, CallBlock>();
  #usage: Usage | undefined;
  #turnUsage: Usage | undefined;
  #finish: FinishReason = "stop";
  #stopSequence: string | undefined;

  push(batch: Batch): void {
    for (const event of batch) {
      switch (event.type) {
        case "text":
          if (event.delta !== "") this.#open("text").text += event.delta;
          break;
        case "thinking": {
          if (event.delta === "" && event.signature === undefined) break;
          const block = this.#open("thinking");
          block.text += event.delta;
          if (event.signature !== undefined) block.signature = event.signature;
          break;
        }
        case "call":
          // A call that the gateway or the backend runs is progress, not a call for the client.
          if (event.runs === "client") {
            const call: CallBlock = { type: "call", id: event.id, name: event.name, input: "" };
            this.#calls.set(event.id, call);
            this.#blocks.push(call);
          }
          break;
        case "call-input": {
          const call = this.#calls.get(event.id);
          if (call !== undefined) call.input += event.delta;
          break;
        }
        case "usage":
          this.#usage = event.usage;
          this.#turnUsage = event.turn;
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
      blocks: this.#blocks,
      text: joinText(this.#blocks),
      thinking: this.#blocks.map((block) => (block.type === "thinking" ? block.text : "")).join(""),
      calls: [...this.#calls.values()],
      usage: this.#usage,
      turnUsage: this.#turnUsage,
      finish: this.#finish,
      stopSequence: this.#stopSequence,
    };
  }

  #open<Type extends "text" | "thinking">(type: Type): Extract<ReplyBlock, { type: Type }>;
  #open(type: "text" | "thinking"): TextBlock | ThinkingBlock {
    const last = this.#blocks.at(-1);
    if (last?.type === type) return last;
    const block: TextBlock | ThinkingBlock = { type, text: "" };
    this.#blocks.push(block);
    return block;
  }
}
