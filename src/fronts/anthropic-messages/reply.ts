import type { TurnResult } from "../../turn/collect.js";
import { estimatedUsage } from "../../turn/estimate.js";
import type { ReplyFacts } from "../front.js";
import type { MessagesOptions } from "./parse.js";
import { OWN_SIGNATURE } from "./signature.js";
import { toStop } from "./stop-reason.js";
import { toMessagesUsage } from "./usage.js";

/** A whole `message`. */
export function writeReply(result: TurnResult, { thinking, inputTokens }: MessagesOptions, facts: ReplyFacts) {
  const { blocks, text, usage, finish, stopSequence } = result;
  return {
    id: `msg_${facts.id}`,
    type: "message",
    role: "assistant",
    model: facts.model,
    content: blocks.flatMap((block) => writeBlock(block, thinking)),
    ...toStop(finish, stopSequence),
    usage: toMessagesUsage(usage ?? estimatedUsage(inputTokens, text.length)),
  };
}

function writeBlock(block: TurnResult["blocks"][number], thinking: MessagesOptions["thinking"]): object[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text }];
    case "thinking": {
      if (thinking === "none") return [];
      const shown = thinking === "shown" ? block.text : "";
      return [{ type: "thinking", thinking: shown, signature: block.signature ?? OWN_SIGNATURE }];
    }
    case "call":
      return [{ type: "tool_use", id: block.id, name: block.name, input: parseInput(block.input) }];
  }
}

/** A call whose arguments were cut off in the middle has none. */
function parseInput(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return {};
  }
}
