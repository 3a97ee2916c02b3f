import { create, fromJson, type MessageInitShape } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  type McpArgs,
  McpArgsSchema,
  type McpResult,
  type McpToolResultSchema,
  type ToolCall,
  ToolCallSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import type { Ask } from "../../model/script.js";
import type { ExecAnswer } from "./execs.js";
import { describeExec, describeMcp } from "./reported-results.js";

type CallAsk = Extract<Ask, { type: "call" }>;
type ToolCallInit = NonNullable<MessageInitShape<typeof ToolCallSchema>["tool"]>;

/** The built-in tool under which Cursor displays a request. Requests that are not listed are not displayed. */
const shownAs: Record<string, NonNullable<ToolCall["tool"]["case"]>> = {
  "native shell": "shellToolCall",
  "native shell_stream": "shellToolCall",
  "native background_shell_spawn": "shellToolCall",
  "native write_shell_stdin": "writeShellStdinToolCall",
  "native read": "readToolCall",
  "native redacted_read": "readToolCall",
  "native write": "editToolCall",
  "native delete": "deleteToolCall",
  "native grep": "grepToolCall",
  "native ls": "lsToolCall",
  "native diagnostics": "readLintsToolCall",
  "native fetch": "fetchToolCall",
  "native subagent": "taskToolCall",
  "native record_screen": "recordScreenToolCall",
  "native computer_use": "computerUseToolCall",
  "native list_mcp_resources_exec": "listMcpResourcesToolCall",
  "native read_mcp_resource_exec": "readMcpResourceToolCall",
  "native pi_read": "piReadToolCall",
  "native pi_bash": "piBashToolCall",
  "native pi_edit": "piEditToolCall",
  "native pi_write": "piWriteToolCall",
  "native pi_grep": "piGrepToolCall",
  "native pi_find": "piFindToolCall",
  "native pi_ls": "piLsToolCall",
  state: "getMcpToolsToolCall",
  "query web_search": "webSearchToolCall",
  "query web_fetch": "webFetchToolCall",
  "query ask_question": "askQuestionToolCall",
  "query create_plan": "createPlanToolCall",
  "query switch_mode": "switchModeToolCall",
  "query generate_image": "generateImageToolCall",
};

/** The tools whose arguments are displayed. */
const withArgs: ReadonlySet<string> = new Set([
  "shellToolCall",
  "readToolCall",
  "webSearchToolCall",
  "webFetchToolCall",
]);

/** The arguments of a client's tool on the wire: each one is a `google.protobuf.Value`, so every number is a double. */
export function mcpArgs({ tool, args }: CallAsk, toolCallId: string): McpArgs {
  const { name, providerIdentifier, toolName } = tool.definition;
  return create(McpArgsSchema, {
    name,
    providerIdentifier,
    toolName,
    toolCallId,
    args: Object.fromEntries(Object.entries(args).map(([key, value]) => [key, fromJson(ValueSchema, value)])),
  });
}

/** The displayed form of a call, before or after its result. Undefined for calls that Cursor does not display. */
export function viewToolCall(ask: Ask, toolCallId: string, answer?: ExecAnswer): ToolCall | undefined {
  if (ask.type === "call") {
    const result = answer === undefined ? {} : { result: { result: viewMcpResult(answer) } };
    const value = { args: mcpArgs(ask, toolCallId), ...result };
    return create(ToolCallSchema, { tool: { case: "mcpToolCall", value }, toolCallId });
  }
  const shown = shownAs[ask.label];
  if (shown === undefined) return undefined;
  return create(ToolCallSchema, { tool: viewBuiltIn(shown, ask), toolCallId });
}

function viewBuiltIn(shown: NonNullable<ToolCall["tool"]["case"]>, { args }: Ask): ToolCallInit {
  const value = withArgs.has(shown) ? { args } : {};
  try {
    return fromJson(ToolCallSchema, { [shown]: value }, { ignoreUnknownFields: true }).tool;
  } catch {
    // The arguments are valid as a request, but not in the narrower types of the view.
    return fromJson(ToolCallSchema, { [shown]: {} }).tool;
  }
}

function viewMcpResult(answer: ExecAnswer): NonNullable<MessageInitShape<typeof McpToolResultSchema>["result"]> {
  const result = answer.type === "thrown" ? undefined : mcpResultOf(answer);
  switch (result?.result.case) {
    case "success":
    case "rejected":
    case "permissionDenied":
      return result.result;
    default:
      return { case: "error", value: { error: result === undefined ? describeExec(answer) : describeMcp(result) } };
  }
}

function mcpResultOf({ results }: Extract<ExecAnswer, { type: "results" }>): McpResult | undefined {
  const [first] = results;
  return first?.case === "mcpResult" ? first.value : undefined;
}
