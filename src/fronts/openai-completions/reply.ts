import type { TurnResult } from "../../turn/collect.js";
import type { FinishReason } from "../../turn/event.js";
import type { ReplyHead } from "../front.js";
import { toChatUsage } from "../parts/usage.js";
import type { CompletionOptions } from "./parse.js";

/** A whole `text_completion`. */
export function writeReply(result: TurnResult, { echo }: CompletionOptions, head: ReplyHead) {
  const { text, usage, turnUsage, finish } = result;
  return {
    ...writeHead(head),
    choices: [{ index: 0, text: echo + text, logprobs: null, finish_reason: finishReasons[finish] }],
    ...(usage !== undefined && { usage: toChatUsage(usage, turnUsage) }),
  };
}

/** The fields with which the reply and each chunk of a stream begin. */
export function writeHead({ id, createdMs, model }: ReplyHead) {
  return { id: `cmpl-${id}`, object: "text_completion", created: Math.floor(createdMs / 1000), model };
}

/** This API has no calls, and the request offers no tools. */
export const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  "tool-calls": "stop",
  length: "length",
  filtered: "content_filter",
};
