import type { TurnResult } from "../../turn/collect.js";
import { estimatedUsage } from "../../turn/estimate.js";
import { parseJson } from "../../turn/read-json.js";
import type { ReplyHead } from "../front.js";
import { OWN_SIGNATURE, toMessage, toStop, toTextBlock, toToolUse } from "./message.js";
import type { MessagesOptions } from "./parse.js";

/** A whole `message`. */
export function writeReply(result: TurnResult, { thinking, inputTokens }: MessagesOptions, head: ReplyHead) {
  const { blocks, text, usage, turnUsage, finish, stopSequence } = result;
  const content = blocks.flatMap((block) => writeBlock(block, thinking));
  const counted = usage ?? estimatedUsage(inputTokens, text.length);
  return toMessage(head, content, toStop(finish, stopSequence), counted, turnUsage);
}

function writeBlock(block: TurnResult["blocks"][number], thinking: MessagesOptions["thinking"]): object[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [toTextBlock(block.text)];
    case "thinking": {
      if (thinking === "none") return [];
      const shown = thinking === "shown" ? block.text : "";
      return [{ type: "thinking", thinking: shown, signature: block.signature ?? OWN_SIGNATURE }];
    }
    case "call": {
      const input = parseJson(block.input);
      // A call whose arguments were cut off has no input.
      return [toToolUse(block.id, block.name, input === undefined ? {} : input)];
    }
  }
}
