import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type ExecClientMessage, ExecClientMessageSchema, type ExecServerMessage } from "../../gen/agent_v1_pb.js";
import type { ToolDefinition } from "../../turn/turn.js";
import { calledTool } from "./client-tools.js";
import { refusalReason } from "./native-tools/index.js";
import { buildRequestContext } from "./request-context.js";
import { encodeTools, PROVIDER } from "./tool-definitions.js";

export interface ExecContext {
  readonly system: string;
  /** All that the client offers, and those of them that may be called now. */
  readonly tools: readonly ToolDefinition[];
  readonly callable: readonly ToolDefinition[];
}

export type ExecAnswer = { type: "result"; message: ExecClientMessage["message"] } | { type: "throw"; error: string };

/**
 * The answer to anything the server asks the client to do. Nothing of it runs on this machine: what is asked gets the
 * refusal of its own type, so that the model reads a reason and goes on. Silence would stall the turn for good.
 */
export function answerExec(exec: ExecServerMessage, context: ExecContext): ExecAnswer {
  const message = resultOf(exec, context);
  return message === undefined
    ? { type: "throw", error: `This client does not support ${exec.message.case ?? "that request"}.` }
    : { type: "result", message: create(ExecClientMessageSchema, { message }).message };
}

type ExecResult = MessageInitShape<typeof ExecClientMessageSchema>["message"];

function resultOf({ message: asked }: ExecServerMessage, context: ExecContext): ExecResult | undefined {
  const { system, tools, callable } = context;
  const reason = refusalReason(callable);
  const error = { result: { case: "error" as const, value: { error: reason } } };
  switch (asked.case) {
    case "requestContextArgs":
      return {
        case: "requestContextResult",
        value: { result: { case: "success", value: { requestContext: buildRequestContext(system, tools) } } },
      };
    case "mcpStateExecArgs":
      return { case: "mcpStateExecResult", value: { result: { case: "success", value: { servers: servers(tools) } } } };
    case "mcpArgs":
      // The client decides for itself, and asks its user, when the call comes. That was not it.
      if (asked.value.smartModeApprovalOnly && calledTool(asked.value, callable) !== undefined) {
        return { case: "mcpResult", value: { result: { case: "approved", value: {} } } };
      }
      return {
        case: "mcpResult",
        value: {
          result: {
            case: "toolNotFound",
            value: { name: asked.value.name, availableTools: callable.map((tool) => tool.name) },
          },
        },
      };
    case "shellArgs":
      return {
        case: "shellResult",
        value: { result: { case: "rejected", value: shellRejection(asked.value, reason) } },
      };
    case "shellStreamArgs":
      return {
        case: "shellStream",
        value: { event: { case: "rejected", value: shellRejection(asked.value, reason) } },
      };
    case "backgroundShellSpawnArgs":
      return {
        case: "backgroundShellSpawnResult",
        value: { result: { case: "rejected", value: shellRejection(asked.value, reason) } },
      };
    case "miniSweAgentBashArgs":
      return { case: "miniSweAgentBashResult", value: { result: { case: "rejected", value: { reason } } } };
    case "writeArgs":
      return { case: "writeResult", value: pathRejection(asked.value.path, reason) };
    case "deleteArgs":
      return { case: "deleteResult", value: pathRejection(asked.value.path, reason) };
    case "readArgs":
      return { case: "readResult", value: pathRejection(asked.value.path, reason) };
    case "redactedReadArgs":
      return { case: "redactedReadResult", value: pathRejection(asked.value.path, reason) };
    case "lsArgs":
      return { case: "lsResult", value: pathRejection(asked.value.path, reason) };
    case "diagnosticsArgs":
      return { case: "diagnosticsResult", value: pathRejection(asked.value.path, reason) };
    case "grepArgs":
      return { case: "grepResult", value: error };
    case "fetchArgs":
      return {
        case: "fetchResult",
        value: { result: { case: "error", value: { url: asked.value.url, error: reason } } },
      };
    case "listMcpResourcesExecArgs":
      return { case: "listMcpResourcesExecResult", value: { result: { case: "success", value: {} } } };
    case "readMcpResourceExecArgs":
      return {
        case: "readMcpResourceExecResult",
        value: { result: { case: "notFound", value: { uri: asked.value.uri } } },
      };
    case "recordScreenArgs":
      return { case: "recordScreenResult", value: { result: { case: "failure", value: { error: reason } } } };
    case "computerUseArgs":
      return { case: "computerUseResult", value: error };
    case "writeShellStdinArgs":
      return { case: "writeShellStdinResult", value: error };
    case "subagentArgs":
      return { case: "subagentResult", value: error };
    case "subagentAwaitArgs":
      return { case: "subagentAwaitResult", value: error };
    case "smartModeClassifierArgs":
      return { case: "smartModeClassifierResult", value: error };
    case "canvasDiagnosticsArgs":
      return { case: "canvasDiagnosticsResult", value: error };
    case "conversationSearchArgs":
      return { case: "conversationSearchResult", value: error };
    case "agentStoreConflictArgs":
      return { case: "agentStoreConflictResult", value: error };
    case "shellAllowlistPrecheckArgs":
      return { case: "shellAllowlistPrecheckResult", value: { allowlisted: false } };
    case "mcpAllowlistPrecheckArgs":
      return { case: "mcpAllowlistPrecheckResult", value: { allowlisted: true } };
    case "webFetchAllowlistPrecheckArgs":
      return { case: "webFetchAllowlistPrecheckResult", value: { allowlisted: false } };
    case "piReadArgs":
      return { case: "piReadResult", value: error };
    case "piBashArgs":
      return { case: "piBashResult", value: error };
    case "piEditArgs":
      return { case: "piEditResult", value: error };
    case "piWriteArgs":
      return { case: "piWriteResult", value: error };
    case "piGrepArgs":
      return { case: "piGrepResult", value: error };
    case "piFindArgs":
      return { case: "piFindResult", value: error };
    case "piLsArgs":
      return { case: "piLsResult", value: error };
    default:
      return undefined; // hooks, diffs, adoption, and what a newer server may ask
  }
}

/** All tools of the client belong to one server; without tools there is none. */
function servers(tools: readonly ToolDefinition[]) {
  return tools.length === 0 ? [] : [{ serverName: PROVIDER, serverIdentifier: PROVIDER, tools: encodeTools(tools) }];
}

function shellRejection(args: { command: string; workingDirectory: string }, reason: string) {
  return { command: args.command, workingDirectory: args.workingDirectory, reason };
}

function pathRejection(path: string, reason: string) {
  return { result: { case: "rejected" as const, value: { path, reason } } };
}
