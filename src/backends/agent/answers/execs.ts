import type { ExecServerMessage, McpArgs } from "../../../gen/agent_v1_pb.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { type ArgsByCase, type ExecResult, type ResultTaking, withOutcome } from "../native-tools/native-request.js";
import { calledTool, encodeTools, PROVIDER } from "../request/tool-definitions.js";
import { buildRequestContext } from "./request-context.js";

/** Limits the tool names that a refusal lists: the model reads them with every refusal. */
const MAX_NAMES_CHARACTERS = 600;

export interface ExecContext {
  readonly system: string;
  /** `tools` is everything that the client offers, `callable` the part that may be called now. */
  readonly tools: readonly ToolDefinition[];
  readonly callable: readonly ToolDefinition[];
  /** Whether Cursor's servers may search the web and fetch pages for the model. */
  readonly allowsWeb: boolean;
}

export type ExecAnswer = { type: "result"; message: ExecResult } | { type: "throw"; error: string };

type Answer<Args> = (args: Args, context: ExecContext, reason: string) => ExecResult;

/** The refusal that each question's own result type has (docs/protocol/wire.md, execs). Those without one get a `throw`. */
const answers: { readonly [Case in keyof ArgsByCase]?: Answer<ArgsByCase[Case]> } = {
  requestContextArgs(_, { system, tools, allowsWeb }) {
    const requestContext = buildRequestContext(system, tools, allowsWeb);
    return withOutcome("requestContextResult", { case: "success", value: { requestContext } });
  },
  mcpStateExecArgs: (_, { tools }) =>
    withOutcome("mcpStateExecResult", { case: "success", value: { servers: servers(tools) } }),
  mcpArgs: answerMcp,
  listMcpResourcesExecArgs: () => withOutcome("listMcpResourcesExecResult", { case: "success", value: {} }),
  readMcpResourceExecArgs: ({ uri }) => withOutcome("readMcpResourceExecResult", { case: "notFound", value: { uri } }),

  shellAllowlistPrecheckArgs: () => ({ case: "shellAllowlistPrecheckResult", value: { allowlisted: false } }),
  mcpAllowlistPrecheckArgs: () => ({ case: "mcpAllowlistPrecheckResult", value: { allowlisted: true } }),
  webFetchAllowlistPrecheckArgs: (_, { allowsWeb }) => ({
    case: "webFetchAllowlistPrecheckResult",
    value: { allowlisted: allowsWeb },
  }),

  shellArgs: rejectedCommand("shellResult"),
  backgroundShellSpawnArgs: rejectedCommand("backgroundShellSpawnResult"),
  shellStreamArgs: ({ command, workingDirectory }, _, reason) => ({
    case: "shellStream",
    value: { event: { case: "rejected", value: { command, workingDirectory, reason } } },
  }),
  miniSweAgentBashArgs: (_, __, reason) =>
    withOutcome("miniSweAgentBashResult", { case: "rejected", value: { reason } }),

  writeArgs: rejectedPath("writeResult"),
  deleteArgs: rejectedPath("deleteResult"),
  readArgs: rejectedPath("readResult"),
  redactedReadArgs: rejectedPath("redactedReadResult"),
  lsArgs: rejectedPath("lsResult"),
  diagnosticsArgs: rejectedPath("diagnosticsResult"),

  fetchArgs: ({ url }, _, reason) => withOutcome("fetchResult", { case: "error", value: { url, error: reason } }),
  recordScreenArgs: (_, __, reason) => withOutcome("recordScreenResult", { case: "failure", value: { error: reason } }),

  grepArgs: failed("grepResult"),
  computerUseArgs: failed("computerUseResult"),
  writeShellStdinArgs: failed("writeShellStdinResult"),
  subagentArgs: failed("subagentResult"),
  subagentAwaitArgs: ({ agentId }, _, reason) =>
    withOutcome("subagentAwaitResult", { case: "error", value: { agentId, error: reason } }),
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

/** Refuses anything that the server asks this machine to do, with a reason. An unanswered question would stall the turn for good. */
export function answerExec({ message: asked }: ExecServerMessage, context: ExecContext): ExecAnswer {
  const message = asked.case === undefined ? undefined : resultOf(asked, context);
  return message === undefined
    ? { type: "throw", error: `This client does not support ${asked.case ?? "that request"}.` }
    : { type: "result", message };
}

function resultOf<Case extends keyof ArgsByCase>(
  asked: { case: Case; value: ArgsByCase[Case] },
  context: ExecContext,
): ExecResult | undefined {
  return answers[asked.case]?.(asked.value, context, refusalReason(context.callable));
}

function answerMcp(args: McpArgs, { callable }: ExecContext): ExecResult {
  // `smart_mode_approval_only` asks whether a call may be made. The client decides that, and asks its user, when the call itself
  // comes (docs/protocol/live-behaviour.md, how sure the answer to an approval is).
  const isApproved = args.smartModeApprovalOnly && calledTool(args, callable) !== undefined;
  if (isApproved) return withOutcome("mcpResult", { case: "approved", value: {} });
  const availableTools = callable.map((tool) => tool.name);
  return withOutcome("mcpResult", { case: "toolNotFound", value: { name: args.name, availableTools } });
}

function servers(tools: readonly ToolDefinition[]) {
  return tools.length === 0 ? [] : [{ serverName: PROVIDER, serverIdentifier: PROVIDER, tools: encodeTools(tools) }];
}

type Rejected = ResultTaking<{ case: "rejected"; value: { reason: string } }>;

function rejectedCommand(result: Rejected): Answer<{ command: string; workingDirectory: string }> {
  return ({ command, workingDirectory }, _, reason) =>
    withOutcome(result, { case: "rejected", value: { command, workingDirectory, reason } });
}

function rejectedPath(result: Rejected): Answer<{ path: string }> {
  return ({ path }, _, reason) => withOutcome(result, { case: "rejected", value: { path, reason } });
}

function failed(result: ResultTaking<{ case: "error"; value: { error: string } }>): Answer<unknown> {
  return (_, __, reason) => withOutcome(result, { case: "error", value: { error: reason } });
}

/** The refusal text for a built-in tool that cannot be mapped. It names only tools that the client offers. */
export function refusalReason(tools: readonly ToolDefinition[]): string {
  const start = "Cursor's built-in tools are not available in this session.";
  if (tools.length === 0) return `${start} The user's application offers no tools either: answer in text.`;
  const named: string[] = [];
  let length = 0;
  for (const { name } of tools) {
    if (length + name.length + 2 > MAX_NAMES_CHARACTERS) continue;
    named.push(name);
    length += name.length + 2;
  }
  if (named.length === 0) return `${start} Use the tools of the user's application instead.`;
  const more = tools.length - named.length;
  const rest = more === 0 ? "" : ` and ${more} more`;
  return `${start} Use the tools of the user's application instead: ${named.join(", ")}${rest}.`;
}
