import type { ToolChoice, ToolDefinition } from "../../turn/turn.js";
import { warnOfLeftOut } from "../parts/unhonoured.js";
import type { MessagesRequest } from "./schema.js";

/** The client's own tools, including those that it defers: this model cannot search for them. */
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

function toChoice(choice: MessagesRequest["tool_choice"]): ToolChoice {
  if (choice?.type === "tool") return { type: "tool", name: choice.name };
  return { type: choice?.type === "any" ? "required" : (choice?.type ?? "auto") };
}
