import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type ExecClientMessage,
  ExecClientMessageSchema,
  type ExecServerMessage,
  type McpArgs,
} from "../../../gen/agent_v1_pb.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { type ArgsByCase, refusalReason } from "../native-tools/index.js";
import { calledTool, encodeTools, PROVIDER } from "../request/tool-definitions.js";
import { buildRequestContext } from "./request-context.js";

export interface ExecContext {
  readonly system: string;
  /** All that the client offers, and those of them that may be called now. */
  readonly tools: readonly ToolDefinition[];
  readonly callable: readonly ToolDefinition[];
}

export type ExecAnswer = { type: "result"; message: ExecClientMessage["message"] } | { type: "throw"; error: string };

type ExecResult = MessageInitShape<typeof ExecClientMessageSchema>["message"];
type Answer<Args> = (args: Args, context: ExecContext, reason: string) => ExecResult;

/** Questions are answered by what kind of refusal their result has. Hooks, diffs and adoption have none. */
const answers: { readonly [Case in keyof ArgsByCase]?: Answer<ArgsByCase[Case]> } = {
  requestContextArgs: (_, { system, tools }) => ({
    case: "requestContextResult",
    value: { result: { case: "success", value: { requestContext: buildRequestContext(system, tools) } } },
  }),
  mcpStateExecArgs: (_, { tools }) => ({
    case: "mcpStateExecResult",
    value: { result: { case: "success", value: { servers: servers(tools) } } },
  }),
  mcpArgs: answerMcp,
  listMcpResourcesExecArgs: () => ({
    case: "listMcpResourcesExecResult",
    value: { result: { case: "success", value: {} } },
  }),
  readMcpResourceExecArgs: ({ uri }) => ({
    case: "readMcpResourceExecResult",
    value: { result: { case: "notFound", value: { uri } } },
  }),

  shellAllowlistPrecheckArgs: () => ({ case: "shellAllowlistPrecheckResult", value: { allowlisted: false } }),
  mcpAllowlistPrecheckArgs: () => ({ case: "mcpAllowlistPrecheckResult", value: { allowlisted: true } }),
  webFetchAllowlistPrecheckArgs: () => ({ case: "webFetchAllowlistPrecheckResult", value: { allowlisted: false } }),

  shellArgs: rejectedCommand("shellResult"),
  backgroundShellSpawnArgs: rejectedCommand("backgroundShellSpawnResult"),
  shellStreamArgs: ({ command, workingDirectory }, _, reason) => ({
    case: "shellStream",
    value: { event: { case: "rejected", value: { command, workingDirectory, reason } } },
  }),
  miniSweAgentBashArgs: (_, __, reason) => ({
    case: "miniSweAgentBashResult",
    value: { result: { case: "rejected", value: { reason } } },
  }),

  writeArgs: rejectedPath("writeResult"),
  deleteArgs: rejectedPath("deleteResult"),
  readArgs: rejectedPath("readResult"),
  redactedReadArgs: rejectedPath("redactedReadResult"),
  lsArgs: rejectedPath("lsResult"),
  diagnosticsArgs: rejectedPath("diagnosticsResult"),

  fetchArgs: ({ url }, _, reason) => ({
    case: "fetchResult",
    value: { result: { case: "error", value: { url, error: reason } } },
  }),
  recordScreenArgs: (_, __, reason) => ({
    case: "recordScreenResult",
    value: { result: { case: "failure", value: { error: reason } } },
  }),

  grepArgs: failed("grepResult"),
  computerUseArgs: failed("computerUseResult"),
  writeShellStdinArgs: failed("writeShellStdinResult"),
  subagentArgs: failed("subagentResult"),
  subagentAwaitArgs: failed("subagentAwaitResult"),
  smartModeClassifierArgs: failed("smartModeClassifierResult"),
  canvasDiagnosticsArgs: failed("canvasDiagnosticsResult"),
  conversationSearchArgs: failed("conversationSearchResult"),
  agentStoreConflictArgs: failed("agentStoreConflictResult"),
  piReadArgs: failed("piReadResult"),
  piBashArgs: failed("piBashResult"),
  piEditArgs: failed("piEditResult"),
  piWriteArgs: failed("piWriteResult"),
  piGrepArgs: failed("piGrepResult"),
  piFindArgs: failed("piFindResult"),
  piLsArgs: failed("piLsResult"),
};

/**
 * The answer to anything the server asks the client to do. Nothing of it runs on this machine: what is asked gets the
 * refusal of its own type, so that the model reads a reason and goes on. Silence would stall the turn for good.
 */
export function answerExec({ message: asked }: ExecServerMessage, context: ExecContext): ExecAnswer {
  const message = asked.case === undefined ? undefined : resultOf(asked, context);
  return message === undefined
    ? { type: "throw", error: `This client does not support ${asked.case ?? "that request"}.` }
    : { type: "result", message: create(ExecClientMessageSchema, { message }).message };
}

function resultOf<Case extends keyof ArgsByCase>(
  asked: { case: Case; value: ArgsByCase[Case] },
  context: ExecContext,
): ExecResult {
  return answers[asked.case]?.(asked.value, context, refusalReason(context.callable));
}

function answerMcp(args: McpArgs, { callable }: ExecContext): ExecResult {
  // The client decides for itself, and asks its user, when the call comes. That was not it.
  const isApproved = args.smartModeApprovalOnly && calledTool(args, callable) !== undefined;
  const availableTools = callable.map((tool) => tool.name);
  return {
    case: "mcpResult",
    value: {
      result: isApproved
        ? { case: "approved", value: {} }
        : { case: "toolNotFound", value: { name: args.name, availableTools } },
    },
  };
}

/** All tools of the client belong to one server; without tools there is none. */
function servers(tools: readonly ToolDefinition[]) {
  return tools.length === 0 ? [] : [{ serverName: PROVIDER, serverIdentifier: PROVIDER, tools: encodeTools(tools) }];
}

type CommandResult = "shellResult" | "backgroundShellSpawnResult";

function rejectedCommand(result: CommandResult): Answer<{ command: string; workingDirectory: string }> {
  return ({ command, workingDirectory }, _, reason) => ({
    case: result,
    value: { result: { case: "rejected", value: { command, workingDirectory, reason } } },
  });
}

type PathResult =
  | "writeResult"
  | "deleteResult"
  | "readResult"
  | "redactedReadResult"
  | "lsResult"
  | "diagnosticsResult";

function rejectedPath(result: PathResult): Answer<{ path: string }> {
  return ({ path }, _, reason) => ({
    case: result,
    value: { result: { case: "rejected", value: { path, reason } } },
  });
}

type FailedResult =
  | "grepResult"
  | "computerUseResult"
  | "writeShellStdinResult"
  | "subagentResult"
  | "subagentAwaitResult"
  | "smartModeClassifierResult"
  | "canvasDiagnosticsResult"
  | "conversationSearchResult"
  | "agentStoreConflictResult"
  | "piReadResult"
  | "piBashResult"
  | "piEditResult"
  | "piWriteResult"
  | "piGrepResult"
  | "piFindResult"
  | "piLsResult";

function failed(result: FailedResult): Answer<unknown> {
  return (_, __, reason) => ({ case: result, value: { result: { case: "error", value: { error: reason } } } });
}
