import type { CallBlock, ThinkingBlock } from "../../../turn/blocks.js";
import { readCustomInput } from "../../parts/custom-tool.js";
import type { ClientTool } from "../tool-names.js";
import { sealReasoning } from "./reasoning-seal.js";

export type ItemStatus = "in_progress" | "completed" | "incomplete";
export type OutputItem = ReturnType<typeof toReasoning | typeof toMessage | typeof toCall>;

const prefixes = { reasoning: "rs", message: "msg", function_call: "fc", custom_tool_call: "ctc" } as const;

/** Holds the id of its response, so that an item that is only named can be found again. */
export function toItemId(type: keyof typeof prefixes, replyId: string, index: number): string {
  return `${prefixes[type]}_${replyId}_${index}`;
}

export function toReasoning(
  id: string,
  block: Pick<ThinkingBlock, "text" | "signature">,
  { isSealed, status }: { isSealed: boolean; status: ItemStatus },
) {
  return {
    id,
    type: "reasoning" as const,
    status,
    summary: block.text === "" ? [] : [toSummaryPart(block.text)],
    ...(isSealed && { encrypted_content: sealReasoning(block) }),
  };
}

export function toSummaryPart(text: string) {
  return { type: "summary_text" as const, text };
}

export function toMessage(id: string, text: string | undefined, status: ItemStatus) {
  return {
    id,
    type: "message" as const,
    role: "assistant" as const,
    status,
    content: text === undefined ? [] : [toTextPart(text)],
  };
}

export function toTextPart(text: string) {
  return { type: "output_text" as const, text, annotations: [], logprobs: [] };
}

export function toCall(id: string, call: Pick<CallBlock, "id" | "input">, tool: ClientTool, status: ItemStatus) {
  const fields = {
    id,
    call_id: call.id,
    name: tool.name,
    ...(tool.namespace !== undefined && { namespace: tool.namespace }),
    status,
  };
  const hasInput = status !== "in_progress";
  if (tool.isCustom) {
    return { ...fields, type: "custom_tool_call" as const, input: hasInput ? readCustomInput(call.input) : "" };
  }
  // Clients parse the arguments, and nothing at all is not JSON.
  return { ...fields, type: "function_call" as const, arguments: hasInput ? call.input || "{}" : "" };
}
