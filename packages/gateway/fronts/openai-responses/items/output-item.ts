import { createHash } from "node:crypto";
import type { CallBlock, ThinkingBlock } from "../../../turn/blocks.js";
import { readCustomInput } from "../../parts/custom-tool.js";
import { readPublishedCall } from "../published-tools.js";
import type { ClientTool } from "../tools.js";

export type ItemStatus = "in_progress" | "completed" | "incomplete";
export type OutputItem = ReturnType<typeof toReasoning | typeof toMessage | typeof toCall>;

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

/** A call in the shape of its tool. If the arguments do not fit a shape of OpenAI's, it is a function call: it must not be lost. */
export function toCall(
  toId: (type: ItemType) => string,
  call: Pick<CallBlock, "id" | "input">,
  { name, namespace, isCustom, published }: ClientTool,
  status: ItemStatus,
) {
  const made = published && readPublishedCall(published, call.input);
  if (made !== undefined) return { id: toId(made.type), call_id: call.id, ...made, status };
  const type = isCustom ? "custom_tool_call" : "function_call";
  const fields = { id: toId(type), call_id: call.id, name, ...(namespace !== undefined && { namespace }), status };
  const hasInput = status !== "in_progress";
  if (isCustom) {
    return { ...fields, type: "custom_tool_call" as const, input: hasInput ? readCustomInput(call.input) : "" };
  }
  // Clients parse the arguments, and an empty string is not JSON.
  return { ...fields, type: "function_call" as const, arguments: hasInput ? call.input || "{}" : "" };
}
