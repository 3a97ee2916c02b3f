import type { TurnResult } from "../../turn/collect.js";
import type { ReplyHead } from "../front.js";
import { type ItemType, type OutputItem, toCall, toItemId, toMessage, toReasoning } from "./items/output-item.js";
import type { ResponsesOptions } from "./parse.js";
import { incompleteDetails, type ResponseObject, toResponse } from "./response.js";

/** A whole `response`, equal to the last event of a stream of the same events. */
export function writeReply(
  result: TurnResult,
  request: ResponsesOptions,
  head: ReplyHead,
  endedMs: number,
): ResponseObject {
  const { usage, turnUsage, finish } = result;
  const output = toOutput(result, request, head);
  const state = { status: "ended", finish, usage, turnUsage, endedMs } as const;
  return toResponse(head, request.settings, output, state);
}

function toOutput({ blocks, finish }: TurnResult, request: ResponsesOptions, { id }: ReplyHead): OutputItem[] {
  const { names, isReasoningSealed: isSealed } = request;
  const isCut = incompleteDetails[finish] !== null;
  const toItem = (block: TurnResult["blocks"][number], index: number): OutputItem => {
    const idOf = (type: ItemType) => toItemId(type, id, index);
    const status = isCut && index === blocks.length - 1 ? "incomplete" : "completed";
    switch (block.type) {
      case "text":
        return toMessage(idOf("message"), block.text, status);
      case "thinking":
        return toReasoning(idOf("reasoning"), block, { isSealed, status });
      case "call": {
        const tool = names.toClient(block.name);
        return toCall(idOf(tool.isCustom ? "custom_tool_call" : "function_call"), block, tool, "completed");
      }
    }
  };
  return blocks.map(toItem);
}
