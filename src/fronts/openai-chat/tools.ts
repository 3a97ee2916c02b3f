import type { ToolChoice, ToolDefinition } from "../../turn/turn.js";
import { toFunctionTool } from "../parts/custom-tool.js";
import { warnOfLeftOut } from "../parts/unhonoured.js";
import type { ChatRequest } from "./schema.js";
import type { FunctionDefinition } from "./tool-schema.js";

export function toTools(request: ChatRequest) {
  const tools: ToolDefinition[] = [];
  const customTools = new Set<string>();
  const leftOut = new Set<string>();
  for (const tool of request.tools ?? []) {
    if (tool.type === "left-out") {
      leftOut.add(tool.name);
    } else if (tool.type === "custom") {
      const { name, description, format } = tool.custom;
      tools.push(
        toFunctionTool({ name, description, grammar: format?.type === "grammar" ? format.grammar : undefined }),
      );
      customTools.add(name);
    } else {
      tools.push(toDefinition(tool.function));
    }
  }
  for (const definition of request.functions ?? []) tools.push(toDefinition(definition));
  const warnings = warnOfLeftOut("Only function and custom tools can be offered; left out", leftOut);
  const { tools: offered, toolChoice } = choose(request.tool_choice ?? request.function_call ?? "auto", tools);
  return { tools: offered, toolChoice, customTools, warnings };
}

type RequestedChoice = NonNullable<ChatRequest["tool_choice"] | ChatRequest["function_call"]>;

function choose(
  requested: RequestedChoice,
  all: ToolDefinition[],
): { tools: ToolDefinition[]; toolChoice: ToolChoice } {
  if (typeof requested === "object" && "name" in requested)
    return { tools: all, toolChoice: { type: "tool", name: requested.name } };
  const isList = typeof requested === "object";
  const allowed = isList ? new Set(requested.allowed_tools.tools.map(({ name }) => name)) : undefined;
  const tools = allowed === undefined ? all : all.filter(({ name }) => allowed.has(name));
  return { tools, toolChoice: { type: isList ? requested.allowed_tools.mode : requested } };
}

function toDefinition({ name, description, parameters }: FunctionDefinition): ToolDefinition {
  return { name, description: description ?? "", inputSchema: parameters ?? { type: "object", properties: {} } };
}
