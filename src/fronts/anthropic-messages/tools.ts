import type { ToolChoice, ToolDefinition, Turn } from "../../turn/turn.js";
import type { MessagesRequest } from "./schema.js";

interface OfferedTools extends Pick<Turn, "tools" | "toolChoice" | "parallelToolCalls"> {
  warnings: string[];
}

/** The client's own tools, also those that it would rather load later: the model here cannot search for them. */
export function toTools({ tools, tool_choice }: MessagesRequest): OfferedTools {
  const offered: ToolDefinition[] = [];
  const otherTypes = new Set<string>();
  for (const tool of tools ?? []) {
    if (isClientTool(tool)) offered.push(toDefinition(tool));
    else otherTypes.add(tool.type.slice(0, 40));
  }
  const named = [...otherTypes].slice(0, 5).join(", ");
  return {
    tools: offered,
    toolChoice: toChoice(tool_choice),
    parallelToolCalls: tool_choice?.disable_parallel_tool_use !== true,
    warnings: named === "" ? [] : [`Only tools with a schema of their own can be offered; left out: ${named}.`],
  };
}

function toChoice(wish: MessagesRequest["tool_choice"]): ToolChoice {
  switch (wish?.type) {
    case "tool":
      return { type: "tool", name: wish.name };
    case "any":
      return { type: "required" };
    case "none":
      return { type: "none" };
    case "auto":
    case undefined:
      return { type: "auto" };
  }
}

type Tool = NonNullable<MessagesRequest["tools"]>[number];
type ClientTool = Extract<Tool, { name: string; input_schema?: unknown }>;

function isClientTool(tool: Tool): tool is ClientTool {
  return tool.type === undefined || tool.type === null || tool.type === "custom";
}

function toDefinition({ name, description, input_schema }: ClientTool): ToolDefinition {
  return { name, description: description ?? "", inputSchema: input_schema ?? { type: "object", properties: {} } };
}
