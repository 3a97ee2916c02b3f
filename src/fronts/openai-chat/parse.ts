import { GatewayError } from "../../turn/error.js";
import type { ToolChoice, ToolDefinition } from "../../turn/turn.js";
import type { ParsedRequest } from "../front.js";
import { invalidRequest } from "../request-problem.js";
import { toConversation } from "./conversation.js";
import { ChatRequest } from "./schema.js";
import { warnOfUnhonoured } from "./unhonoured.js";

/** What the answer depends on besides the turn. */
export interface ChatOptions {
  readonly includeUsage: boolean;
}

export function parseRequest(body: unknown): ParsedRequest<ChatOptions> {
  refuseMissingMessages(body);
  const parsed = ChatRequest.safeParse(body);
  if (!parsed.success) throw invalidRequest(parsed.error);
  const request = parsed.data;
  const { system, messages } = toConversation(request.messages, request.system);
  if (messages.length === 0) {
    throw missingMessages("There is only system text in this request; add a user message for the model to answer.");
  }
  const { tools, leftOut } = toTools(request);
  return {
    turn: {
      model: request.model,
      system,
      messages,
      tools,
      toolChoice: toToolChoice(request),
      parallelToolCalls: request.parallel_tool_calls ?? true,
      warnings: [...warnOfUnhonoured(request), ...leftOut],
      ...(request.reasoning_effort ? { effort: request.reasoning_effort } : {}),
    },
    wantsStream: request.stream ?? false,
    request: { includeUsage: request.stream_options?.include_usage ?? false },
  };
}

function refuseMissingMessages(body: unknown): void {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return; // the schema says it better
  const messages: unknown = Reflect.get(body, "messages");
  if (messages === undefined || messages === null || (Array.isArray(messages) && messages.length === 0)) {
    throw missingMessages("The request has no messages; send at least one user message.");
  }
}

function missingMessages(text: string): GatewayError {
  return new GatewayError("missing_messages", text, { param: "messages" });
}

function toTools(request: ChatRequest): { tools: ToolDefinition[]; leftOut: string[] } {
  const tools: ToolDefinition[] = [];
  const otherTypes = new Set<string>();
  const add = (definition: NonNullable<ChatRequest["functions"]>[number]) =>
    tools.push({
      name: definition.name,
      description: definition.description ?? "",
      inputSchema: definition.parameters ?? { type: "object", properties: {} },
    });
  for (const tool of request.tools ?? []) {
    if (isFunctionTool(tool)) add(tool.function);
    else otherTypes.add(tool.type.slice(0, 40));
  }
  request.functions?.forEach(add);
  const named = [...otherTypes].slice(0, 5).join(", ");
  const leftOut = named === "" ? [] : [`Only function tools can be offered; left out: ${named}.`];
  return { tools, leftOut };
}

/** Without tools there is nothing to choose, whatever the request says. */
function toToolChoice({ tools, functions, tool_choice, function_call }: ChatRequest): ToolChoice {
  const choice = tool_choice ?? function_call ?? "auto";
  if (typeof choice !== "string") return { type: "tool", name: choice.name };
  const isForced = choice === "required" && (tools ?? functions ?? []).length === 0;
  return { type: isForced ? "auto" : choice };
}

type Tool = NonNullable<ChatRequest["tools"]>[number];

function isFunctionTool(tool: Tool): tool is Extract<Tool, { function: { name: string } }> {
  return tool.type === undefined || tool.type === "function";
}
