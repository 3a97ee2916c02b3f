import type { TurnResult } from "../../turn/collect.js";
import type { ReplyFacts } from "../front.js";
import { type ItemStatus, type OutputItem, toCall, toItemId, toMessage, toReasoning } from "./items/output-item.js";
import type { ResponsesOptions } from "./parse.js";
import { incompleteDetails, type ResponseObject, toResponse } from "./response.js";

/** A whole `response`: the same that a stream of the same events ends with. */
export function writeReply(
  result: TurnResult,
  request: ResponsesOptions,
  facts: ReplyFacts,
  endedMs: number,
): ResponseObject {
  const { usage, turnUsage, finish } = result;
  const output = toOutput(result, request, facts);
  const state = { status: "ended", finish, usage, turnUsage, endedMs } as const;
  return toResponse(facts, request.settings, output, state);
}

function toOutput({ blocks, finish }: TurnResult, request: ResponsesOptions, { id }: ReplyFacts): OutputItem[] {
  const isCut = incompleteDetails[finish] !== null;
  return blocks.map((block, index) => {
    const isLast = index === blocks.length - 1;
    return toItem(block, request, { replyId: id, index, status: isCut && isLast ? "incomplete" : "completed" });
  });
}

interface Place {
  replyId: string;
  index: number;
  status: ItemStatus;
}

function toItem(
  block: TurnResult["blocks"][number],
  { names, isReasoningSealed: isSealed }: ResponsesOptions,
  { replyId, index, status }: Place,
): OutputItem {
  switch (block.type) {
    case "text":
      return toMessage(toItemId("message", replyId, index), block.text, status);
    case "thinking":
      return toReasoning(toItemId("reasoning", replyId, index), block, { isSealed, status });
    case "call": {
      const tool = names.toClient(block.name);
      const id = toItemId(tool.isCustom ? "custom_tool_call" : "function_call", replyId, index);
      return toCall(id, block, tool, "completed");
    }
  }
}
