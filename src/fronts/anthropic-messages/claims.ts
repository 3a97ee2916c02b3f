import { field, listField } from "../../turn/read-json.js";
import type { ClientRequest } from "../front.js";

/** Fields that only this dialect has at the top of a request. */
const ownFields = ["system", "stop_sequences", "thinking", "output_config", "output_format", "diagnostics"];
/** Blocks that only this dialect has. */
const ownBlocks: ReadonlySet<unknown> = new Set([
  "image",
  "document",
  "search_result",
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
]);

/**
 * Whether a body is one of this dialect. Bodies of plain words are also bodies of Chat Completions; they mean the same in both.
 */
export function claims({ body, headers }: Pick<ClientRequest, "body" | "headers">): boolean {
  if (!Array.isArray(field(body, "messages"))) return false;
  if (headers["anthropic-version"] !== undefined) return true;
  if (ownFields.some((name) => field(body, name) !== undefined)) return true;
  if (listField(body, "tools").some((tool) => field(tool, "input_schema") !== undefined)) return true;
  return listField(body, "messages").some((message) =>
    listField(message, "content").some((block) => ownBlocks.has(field(block, "type"))),
  );
}
