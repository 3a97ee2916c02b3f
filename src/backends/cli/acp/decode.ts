import type { TurnEvent } from "../../../turn/event.js";
import { field, listField, textField } from "../../../turn/read-json.js";
import { SERVER_NAME } from "../mcp/approvals.js";

const MAX_SUMMARY = 2_000;

/** Converts the updates of one turn to events. Calls of the client's tools come through the MCP server and are left out here. */
export class UpdateDecoder {
  /** Calls that the CLI makes itself. Later updates of a call do not say whose it is. */
  readonly #own = new Set<string>();

  push(update: unknown): TurnEvent[] {
    switch (textField(update, "sessionUpdate")) {
      case "agent_message_chunk":
        return said("text", update);
      case "agent_thought_chunk":
        return said("thinking", update);
      case "tool_call":
        return isClientTool(update) ? [] : this.#begun(update);
      case "tool_call_update":
        return this.#ended(update);
      default:
        return []; // plans, modes, commands, and updates of newer builds
    }
  }

  #begun(update: unknown): TurnEvent[] {
    const id = textField(update, "toolCallId");
    if (id === "" || this.#own.has(id)) return [];
    this.#own.add(id);
    const name = textField(update, "kind") || textField(update, "title") || "tool";
    const delta = JSON.stringify(field(update, "rawInput") ?? {});
    return [
      { type: "call", id, name, runs: "backend" },
      { type: "call-input", id, delta },
      { type: "call-end", id },
    ];
  }

  #ended(update: unknown): TurnEvent[] {
    const id = textField(update, "toolCallId");
    const status = textField(update, "status");
    if ((status !== "completed" && status !== "failed") || !this.#own.delete(id)) return [];
    const words = listField(update, "content").map((each) => textField(field(each, "content"), "text"));
    const output = field(update, "rawOutput");
    const summary = words.join("") || (output === undefined ? status : JSON.stringify(output));
    return [{ type: "call-result", id, summary: summary.slice(0, MAX_SUMMARY) }];
  }
}

/**
 * Whether a call, or the permission question for it, is about a client's tool. Older builds report nothing of such a call but
 * that it is one.
 */
export function isClientTool(call: unknown): boolean {
  const title = textField(call, "title");
  const kind = textField(call, "kind");
  if (kind !== "other" && kind !== "") return false;
  return title.startsWith("MCP") || title.startsWith(`${SERVER_NAME}:`) || title.startsWith(`${SERVER_NAME}-`);
}

function said(type: "text" | "thinking", update: unknown): TurnEvent[] {
  const delta = textField(field(update, "content"), "text");
  return delta === "" ? [] : [{ type, delta }];
}
