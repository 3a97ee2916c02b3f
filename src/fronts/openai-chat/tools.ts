import type { ToolChoice, ToolDefinition } from "../../turn/turn.js";
import { toFunctionTool } from "../parts/custom-tool.js";
import type { ChatRequest } from "./schema.js";
import type { FunctionDefinition, Tool } from "./tool-schema.js";

interface OfferedTools {
  tools: ToolDefinition[];
  toolChoice: ToolChoice;
  /** Those whose calls are answered as free text. */
  customTools: ReadonlySet<string>;
  warnings: string[];
}

export function toTools(request: ChatRequest): OfferedTools {
  const tools: ToolDefinition[] = [];
  const customTools = new Set<string>();
  const otherTypes = new Set<string>();
  for (const tool of request.tools ?? []) {
    if (isFunction(tool)) {
      tools.push(toDefinition(tool.function));
    } else if (isCustom(tool)) {
      const { name, description, format } = tool.custom;
      tools.push(
        toFunctionTool({ name, description, grammar: format?.type === "grammar" ? format.grammar : undefined }),
      );
      customTools.add(name);
    } else {
      otherTypes.add(tool.type.slice(0, 40));
    }
  }
  for (const definition of request.functions ?? []) tools.push(toDefinition(definition));
  const named = [...otherTypes].slice(0, 5).join(", ");
  const warnings = named === "" ? [] : [`Only function and custom tools can be offered; left out: ${named}.`];
  return { ...choose(request.tool_choice ?? request.function_call ?? "auto", tools), customTools, warnings };
}

type Wish = NonNullable<ChatRequest["tool_choice"] | ChatRequest["function_call"]>;

function choose(wish: Wish, all: ToolDefinition[]): { tools: ToolDefinition[]; toolChoice: ToolChoice } {
  if (typeof wish === "object" && "name" in wish) return { tools: all, toolChoice: { type: "tool", name: wish.name } };
  const isList = typeof wish === "object";
  const allowed = isList ? new Set(wish.allowed_tools.tools.map(({ name }) => name)) : undefined;
  const tools = allowed === undefined ? all : all.filter(({ name }) => allowed.has(name));
  return { tools, toolChoice: { type: isList ? wish.allowed_tools.mode : wish } };
}

function toDefinition({ name, description, parameters }: FunctionDefinition): ToolDefinition {
  return { name, description: description ?? "", inputSchema: parameters ?? { type: "object", properties: {} } };
}

function isFunction(tool: Tool): tool is Extract<Tool, { function: { name: string } }> {
  return tool.type === undefined || tool.type === "function";
}

function isCustom(tool: Tool): tool is Extract<Tool, { custom: { name: string } }> {
  return tool.type === "custom";
}
