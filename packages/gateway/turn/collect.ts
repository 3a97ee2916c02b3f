import { type CallBlock, joinText, type TextBlock, type ThinkingBlock } from "./blocks.js";
import type { FinishReason, TurnEvent, TurnEvents, Usage } from "./event.js";

type ReplyBlock = TextBlock | ThinkingBlock | CallBlock;

export interface TurnResult {
  /** The whole reply in the order in which it came. The next three fields hold the same content by kind. */
  blocks: readonly ReplyBlock[];
  text: string;
  thinking: string;
  calls: readonly CallBlock[];
  usage: Usage | undefined;
  turnUsage?: Usage | undefined;
  finish: FinishReason;
  stopSequence: string | undefined;
}

export async function collect(events: TurnEvents): Promise<TurnResult> {
  const blocks: ReplyBlock[] = [];
  const calls = new Map<string, CallBlock>();
  let usage: Usage | undefined;
  let turnUsage: Usage | undefined;
  let finish: FinishReason = "stop";
  let stopSequence: string | undefined;
  const take = (event: TurnEvent): void => {
    const last = blocks.at(-1);
    switch (event.type) {
      case "text":
        if (last?.type === "text") last.text += event.delta;
        else if (event.delta !== "") blocks.push({ type: "text", text: event.delta });
        break;
      case "thinking": {
        if (event.delta === "" && event.signature === undefined) break;
        const block: ThinkingBlock = last?.type === "thinking" ? last : { type: "thinking", text: "" };
        if (block !== last) blocks.push(block);
        block.text += event.delta;
        if (event.signature !== undefined) block.signature = event.signature;
        break;
      }
      case "call":
        // A call that the gateway or the backend runs is progress, not a call for the client.
        if (event.runs === "client") {
          const call: CallBlock = { type: "call", id: event.id, name: event.name, input: "" };
          calls.set(event.id, call);
          blocks.push(call);
        }
        break;
      case "call-input": {
        const call = calls.get(event.id);
        if (call !== undefined) call.input += event.delta;
        break;
      }
      case "usage":
        usage = event.usage;
        turnUsage = event.turn;
        break;
      case "finish":
        finish = event.reason;
        stopSequence = event.stopSequence;
        break;
      case "call-end":
      case "call-result":
      case "checkpoint":
        break;
    }
  };
  for await (const batch of events) for (const event of batch) take(event);
  const text = joinText(blocks);
  const thinking = blocks.map((block) => (block.type === "thinking" ? block.text : "")).join("");
  return { blocks, text, thinking, calls: [...calls.values()], usage, turnUsage, finish, stopSequence };
}
