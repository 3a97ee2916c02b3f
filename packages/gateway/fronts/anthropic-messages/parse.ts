import { GatewayError } from "../../turn/error.js";
import { estimatedInput } from "../../turn/estimate.js";
import { perObject } from "../../turn/per-object.js";
import { field } from "../../turn/read-json.js";
import type { NamedMcpServer, ToolChoice, ToolDefinition, Turn } from "../../turn/turn.js";
import type { ClientRequest, ParsedRequest } from "../front.js";
import { isSet, missingMessages, readBody, unhonoured, unsupported, warnOfLeftOut } from "../parts/request-problem.js";
import { isWebTool, toLimits } from "../parts/request-schema.js";
import { toConversation } from "./conversation.js";
import type { MessagesOptions } from "./message.js";
import { MessagesRequest } from "./schema.js";

const warnOfUnhonoured = unhonoured<MessagesRequest>({
  temperature: ({ temperature }) => isSet(temperature) && temperature !== 1,
  top_p: ({ top_p }) => isSet(top_p) && top_p !== 1,
  top_k: ({ top_k }) => isSet(top_k),
  container: ({ container }) => isSet(container),
  speed: ({ speed }) => isSet(speed) && speed !== "standard",
  fallbacks: ({ fallbacks }) => isSet(fallbacks),
});

/** The token budgets that clients send for little, some and much thinking. A larger budget means the highest effort. */
const budgets: readonly (readonly [below: number, effort: string])[] = [
  [4_096, "low"],
  [16_000, "medium"],
  [32_000, "high"],
];

export function parseRequest({ body }: Pick<ClientRequest, "body">): ParsedRequest<MessagesOptions> {
  refuseThread(body);
  const request = readBody(MessagesRequest, body);
  const turn = toTurn(request);
  return {
    turn,
    wantsStream: request.stream ?? false,
    // If null or missing, the client names no earlier request to compare with.
    wantsCacheMiss: typeof request.diagnostics?.previous_message_id === "string",
    request: { thinking: toDisplay(request), inputTokens: estimatedInput(turn) },
  };
}

export function toTurn(request: MessagesRequest): Turn {
  refuseCompaction(request);
  const { system, messages, leftOut, loadedTools } = toConversation(request);
  if (messages.length === 0) throw missingMessages("The request has no messages; send at least one user message.");
  const { warnings, ...tools } = toTools(request, loadedTools);
  return {
    model: request.model,
    system,
    messages,
    ...tools,
    ...toEffort(request),
    ...toLimits(request.stop_sequences, request.max_tokens),
    ...toAnswerFormat(request),
    warnings: [
      ...warnOfUnhonoured(request),
      ...warnings,
      ...warnOfLeftOut("Blocks of these types are not passed on to the model", leftOut),
      ...warnOfPrefill(messages),
    ],
  };
}

/** The client's effort if it names one, otherwise derived from its token budget for thinking. */
function toEffort({ output_config, thinking }: MessagesRequest): { effort?: string } {
  if (output_config?.effort) return { effort: output_config.effort };
  if (thinking?.type === "disabled") return { effort: "none" };
  const tokens = thinking?.budget_tokens;
  if (typeof tokens !== "number") return {};
  return { effort: budgets.find(([below]) => tokens < below)?.[1] ?? "max" };
}

function toDisplay({ thinking }: MessagesRequest): MessagesOptions["thinking"] {
  // A client that did not ask for thinking takes the first block for the answer.
  if (!thinking || thinking.type === "disabled") return "none";
  return thinking.display === "omitted" ? "omitted" : "shown";
}

function toAnswerFormat({ output_config, output_format }: MessagesRequest): Pick<Turn, "format"> {
  const format = output_config?.format ?? output_format;
  if (!format) return {};
  const param = output_config?.format ? "output_config.format.schema" : "output_format.schema";
  return { format: { type: "json-schema", name: "answer", schema: format.schema, param } };
}

/**
 * Anthropic's servers keep threads, and a request that continues one holds only what is new. After this error, the official
 * client repeats the request without the thread and sends everything from then on.
 */
function refuseThread(body: unknown): void {
  const thread = field(body, "thread");
  if (thread === undefined || thread === null || thread === false) return;
  throw new GatewayError(
    "thread_unsupported",
    "thread: threads are not supported here. Send the whole conversation, without thread.",
    { param: "thread" },
  );
}

/** The answer would have to be a summary that only Anthropic can sign. */
function refuseCompaction({ compaction }: MessagesRequest): void {
  if (compaction === undefined || compaction === null) return;
  throw unsupported("compaction", "is not supported here; ask the model for a summary");
}

/** Anthropic's older models continue an assistant message at the end of the request (prefill). */
function warnOfPrefill(messages: Turn["messages"]): string[] {
  if (messages.at(-1)?.role !== "assistant") return [];
  return ["The conversation ends with an assistant message; the answer does not continue it, but starts anew."];
}

/** Tools that run on Anthropic's servers, or are called from there. */
const HOSTED = /^(code_execution|tool_search|advisor)/;

/** Anthropic's own search among deferred tools. It is not available here, so nothing could load the tools. */
const TOOL_SEARCH = /^tool_search/;

/** The client's own tools: deferred ones once they are loaded, unless only Anthropic could load them. */
function toTools({ tools, tool_choice, mcp_servers }: MessagesRequest, loaded: ReadonlySet<string>) {
  const terms = new Map<string, Pick<NamedMcpServer, "allow" | "deny">>();
  let webTool: { readonly name: string; readonly hasLimits: boolean } | undefined;
  const offered: ToolDefinition[] = [];
  const [hosted, leftOut] = [new Set<string>(), new Set<string>()];
  const isSearchedByClient = !tools?.some((tool) => tool.type === "left-out" && TOOL_SEARCH.test(tool.name));
  for (const tool of tools ?? []) {
    if (tool.type === "mcp-toolset") {
      terms.set(tool.server, tool.terms);
    } else if (tool.type === "left-out") {
      if (isWebTool(tool.name)) webTool = tool;
      else (HOSTED.test(tool.name) ? hosted : leftOut).add(tool.name);
    } else if (!tool.defer_loading || loaded.has(tool.name) || !isSearchedByClient) {
      offered.push(toDefinition(tool));
    }
  }
  return {
    tools: offered,
    webTool: webTool?.name,
    mcpServers: (mcp_servers ?? []).map((server) => ({ ...server, ...terms.get(server.label) })),
    toolChoice: toChoice(tool_choice),
    parallelToolCalls: tool_choice?.disable_parallel_tool_use !== true,
    warnings: [
      ...warnOfLeftOut("Tools that Anthropic runs are not available here; left out", hosted),
      ...(webTool?.hasLimits ? [`The limits of ${webTool.name} (uses and domains) are ignored.`] : []),
      ...warnOfLeftOut("Tools of these types are not supported here; left out", leftOut),
    ],
  };
}

type ClientTool = Extract<NonNullable<MessagesRequest["tools"]>[number], { readonly input_schema?: unknown }>;

const toDefinition = perObject(({ name, description, input_schema }: ClientTool): ToolDefinition => {
  const inputSchema = input_schema ?? { type: "object", properties: {} };
  return { name, description: description ?? "", inputSchema };
});

function toChoice(choice: MessagesRequest["tool_choice"]): ToolChoice {
  if (choice?.type === "tool") return { type: "tool", name: choice.name };
  return { type: choice?.type === "any" ? "required" : (choice?.type ?? "auto") };
}
