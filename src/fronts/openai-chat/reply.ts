import type { TurnResult } from "../../turn/collect.js";
import type { ReplyFacts } from "../front.js";
import { toFinishReason } from "./finish-reason.js";
import { toChatUsage } from "./usage.js";

/** A whole `chat.completion`. */
export function writeReply(result: TurnResult, facts: ReplyFacts) {
  const { text, thinking, calls, usage, finish } = result;
  return {
    id: `chatcmpl-${facts.id}`,
    object: "chat.completion",
    created: Math.floor(facts.createdMs / 1000),
    model: facts.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && calls.length > 0 ? null : text,
          ...(thinking !== "" && { reasoning_content: thinking }),
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ id, name, input }) => ({
              id,
              type: "function",
              function: { name, arguments: input || "{}" },
            })),
          }),
          refusal: null,
        },
        logprobs: null,
        finish_reason: toFinishReason(finish),
      },
    ],
    ...(usage !== undefined && { usage: toChatUsage(usage) }),
  };
}
