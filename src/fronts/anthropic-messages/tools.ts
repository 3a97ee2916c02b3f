import type { ToolChoice, ToolDefinition } from "../../turn/turn.js";
import { warnOfLeftOut } from "../parts/unhonoured.js";
import type { MessagesRequest } from "./schema.js";

/** The client's own tools, also those that it would rather load later: the model here cannot search for them. */
export function toTools({ tools, tool_choice }: MessagesRequest) {
  const offered: ToolDefinition[] = [];
  const leftOut = new Set<string>();
  for (const tool of tools ?? []) {
    if (tool.type === "left-out") {
      leftOut.add(tool.name);
    } else {
      const { name, description, input_schema } = tool;
      const inputSchema = input_schema ?? { type: "object", properties: {} };
      offered.push({ name, description: description ?? "", inputSchema });
    }
  }
  return {
    tools: offered,
    toolChoice: toChoice(tool_choice),
    parallelToolCalls: tool_choice?.disable_parallel_tool_use !== true,
    warnings: warnOfLeftOut("Only tools with a schema of their own can be offered; left out", leftOut),
  };
}

function toChoice(wish: MessagesRequest["tool_choice"]): ToolChoice {
  if (wish?.type === "tool") return { type: "tool", name: wish.name };
  return { type: wish?.type === "any" ? "required" : (wish?.type ?? "auto") };
}
