import { perObject } from "../../turn/per-object.js";
import type { AnswerFormat, ToolChoice, ToolDefinition } from "../../turn/turn.js";
import type { ClientRequest, ParsedRequest } from "../front.js";
import { toFunctionTool } from "../parts/custom-tool.js";
import {
  isSet,
  missingMessages,
  NO_LOGPROBS,
  ONE_CHOICE,
  readBody,
  unhonoured,
  unsupported,
  warnOfLeftOut,
} from "../parts/request-problem.js";
import { toLimits } from "../parts/request-schema.js";
import { toConversation } from "./conversation.js";
import { ChatRequest, type FunctionDefinition } from "./schema.js";

const warnOfUnhonoured = unhonoured<ChatRequest>({
  temperature: ({ temperature }) => isSet(temperature) && temperature !== 1,
  top_p: ({ top_p }) => isSet(top_p) && top_p !== 1,
  seed: ({ seed }) => isSet(seed),
  presence_penalty: ({ presence_penalty }) => isSet(presence_penalty) && presence_penalty !== 0,
  frequency_penalty: ({ frequency_penalty }) => isSet(frequency_penalty) && frequency_penalty !== 0,
  logit_bias: ({ logit_bias }) => isSet(logit_bias) && Object.keys(logit_bias).length > 0,
  verbosity: ({ verbosity }) => isSet(verbosity) && verbosity !== "medium",
  prediction: ({ prediction }) => isSet(prediction),
  store: ({ store }) => store === true,
  service_tier: ({ service_tier }) => isSet(service_tier) && !["auto", "default"].includes(service_tier),
  web_search_options: ({ web_search_options }) => isSet(web_search_options),
});

export interface ChatOptions {
  readonly includeUsage: boolean;
  readonly customTools: ReadonlySet<string>;
  /** Whether calls are answered as `function_call`, as before there were tools: one at a time and without an id. */
  readonly usesFunctions: boolean;
}

export function parseRequest({ body }: Pick<ClientRequest, "body">): ParsedRequest<ChatOptions> {
  refuseMissingMessages(body);
  const request = readBody(ChatRequest, body);
  refuseUnsupported(request);
  const usesFunctions = (request.functions ?? []).length > 0 && (request.tools ?? []).length === 0;
  const { newCallId, ...conversation } = toConversation(request.messages, request.system, usesFunctions);
  if (conversation.messages.length === 0) {
    throw missingMessages("The messages of this request are empty; add a user message for the model to answer.");
  }
  const { tools, toolChoice, customTools, warnings } = toTools(request);
  return {
    turn: {
      model: request.model,
      ...conversation,
      tools,
      toolChoice,
      parallelToolCalls: !usesFunctions && (request.parallel_tool_calls ?? true),
      ...(usesFunctions && { newCallId }),
      ...(request.reasoning_effort ? { effort: request.reasoning_effort } : {}),
      ...toLimits(request.stop, request.max_completion_tokens ?? request.max_tokens),
      ...toAnswerFormat(request.response_format),
      warnings: [...warnOfUnhonoured(request), ...warnings],
    },
    wantsStream: request.stream ?? false,
    request: { includeUsage: request.stream_options?.include_usage ?? false, customTools, usesFunctions },
  };
}

function refuseMissingMessages(body: unknown): void {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return; // the schema reports it better
  const messages: unknown = Reflect.get(body, "messages");
  if (messages === undefined || messages === null || (Array.isArray(messages) && messages.length === 0)) {
    throw missingMessages("The request has no messages; send at least one user message.");
  }
}

/** Options that OpenAI refuses for models that lack them: the client could not use an answer without them. */
function refuseUnsupported({ n, logprobs, top_logprobs, modalities, audio }: ChatRequest): void {
  const NO_AUDIO = "answers are text; leave this out";
  if ((n ?? 1) > 1) throw unsupported("n", ONE_CHOICE);
  if (logprobs === true) throw unsupported("logprobs", NO_LOGPROBS);
  if ((top_logprobs ?? 0) > 0) throw unsupported("top_logprobs", NO_LOGPROBS);
  if (modalities?.some((each) => each !== "text")) throw unsupported("modalities", NO_AUDIO);
  if (audio) throw unsupported("audio", NO_AUDIO);
}

function toAnswerFormat(format: ChatRequest["response_format"]): { format?: AnswerFormat } {
  if (!format || format.type === "text") return {};
  const schema = format.json_schema?.schema ?? format.schema;
  if (!schema) return { format: { type: "json" } };
  const name = format.json_schema?.name || "answer";
  return { format: { type: "json-schema", name, schema, param: "response_format" } };
}

function toTools(request: ChatRequest) {
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

const toDefinition = perObject(
  ({ name, description, parameters }: FunctionDefinition): ToolDefinition => ({
    name,
    description: description ?? "",
    inputSchema: parameters ?? { type: "object", properties: {} },
  }),
);
