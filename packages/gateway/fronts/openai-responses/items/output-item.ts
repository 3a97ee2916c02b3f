import { createHash } from "node:crypto";
import type { CallBlock, ThinkingBlock } from "../../../turn/blocks.js";
import { readCustomInput } from "../../parts/custom-tool.js";
import { readPublishedCall } from "../published-tools.js";
import type { ClientTool } from "../tools.js";

export type ItemStatus = "in_progress" | "completed" | "incomplete";
export type OutputItem = ReturnType<typeof toReasoning | typeof toMessage | typeof toCall | typeof toPublishedItem>;

export type ItemType = keyof typeof itemPrefixes;

export const itemPrefixes = {
  reasoning: "rs",
  message: "msg",
  function_call: "fc",
  custom_tool_call: "ctc",
  shell_call: "sh",
  local_shell_call: "lsh",
  apply_patch_call: "apc",
  computer_call: "cu",
} as const;

/** The prefix of our own `encrypted_content`. */
const OWN = "curlew.";

/** Contains the id of the response, so that an item can be found by reference. */
export function toItemId(type: ItemType, replyId: string, index: number): string {
  return `${itemPrefixes[type]}_${replyId}_${index}`;
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

/** Clients keep an item only with `encrypted_content`. Without a signature it is our own mark, which never goes upstream. */
function sealReasoning({ text, signature }: Pick<ThinkingBlock, "text" | "signature">): string {
  return signature || OWN + createHash("sha256").update(text).digest("base64url");
}

export function openSeal(sealed: string | null | undefined): string | undefined {
  return !sealed || sealed.startsWith(OWN) ? undefined : sealed;
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
  // Clients parse the arguments, and an empty string is not JSON.
  return { ...fields, type: "function_call" as const, arguments: hasInput ? call.input || "{}" : "" };
}

/** A call in OpenAI's own shape. If its arguments do not fit there, a call of a function, so that it is not lost. */
export function toPublishedItem(
  toId: (type: ItemType) => string,
  call: Pick<CallBlock, "id" | "input">,
  { published, ...tool }: ClientTool,
  status: ItemStatus,
) {
  const made = published && readPublishedCall(published, call.input);
  if (made === undefined) return toCall(toId("function_call"), call, tool, status);
  return { id: toId(made.type), call_id: call.id, ...made, status };
}
