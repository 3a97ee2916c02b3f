import type { CallBlock } from "../../turn/blocks.js";
import type { TurnResult } from "../../turn/collect.js";
import type { FinishReason } from "../../turn/event.js";
import type { ReplyHead } from "../front.js";
import { readCustomInput } from "../parts/custom-tool.js";
import { toChatUsage } from "../parts/usage.js";
import type { ChatOptions } from "./parse.js";

type Options = Omit<ChatOptions, "includeUsage">;

export function writeReply(result: TurnResult, options: Options, head: ReplyHead) {
  const { text, thinking, calls, usage, turnUsage, finish } = result;
  return {
    id: `chatcmpl-${head.id}`,
    object: "chat.completion",
    created: Math.floor(head.createdMs / 1000),
    model: head.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && calls.length > 0 ? null : text,
          ...(thinking !== "" && { reasoning_content: thinking }),
          ...writeCalls(calls, options),
          refusal: null,
        },
        logprobs: null,
        finish_reason: (options.usesFunctions ? oldFinishReasons : finishReasons)[finish],
      },
    ],
    ...(usage !== undefined && { usage: toChatUsage(usage, turnUsage) }),
  };
}

function writeCalls(calls: readonly CallBlock[], { customTools, usesFunctions }: Options) {
  const [first] = calls;
  if (first === undefined) return {};
  if (usesFunctions) return { function_call: writeFunction(first) };
  return { tool_calls: calls.map((call) => writeCall(call, customTools.has(call.name))) };
}

function writeCall(call: CallBlock, isCustom: boolean) {
  const { id, name, input } = call;
  return isCustom
    ? { id, type: "custom", custom: { name, input: readCustomInput(input) } }
    : { id, type: "function", function: writeFunction(call) };
}

function writeFunction({ name, input }: CallBlock) {
  return { name, arguments: input || "{}" };
}

export const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  filtered: "content_filter",
};

/** The reasons for clients that send `functions`. */
export const oldFinishReasons = { ...finishReasons, "tool-calls": "function_call" };
