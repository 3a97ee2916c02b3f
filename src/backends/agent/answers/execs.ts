import { create } from "@bufbuild/protobuf";
import {
  type CursorRule,
  CursorRuleSchema,
  type ExecServerMessage,
  type McpArgs,
  type RequestContext,
  RequestContextSchema,
} from "../../../gen/agent_v1_pb.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { nativeResults } from "../native-tools/map-native-exec.js";
import {
  type ArgsByCase,
  type ExecResult,
  NEUTRAL_FOLDER,
  type ResultTaking,
  withOutcome,
} from "../native-tools/native-request.js";
import { calledTool, encodeTools, PROVIDER } from "../request/tool-definitions.js";

/** Limits the tool names that a refusal lists: the model reads them with every refusal. */
const MAX_NAMES_CHARACTERS = 600;

/** The value of `CursorRule.source` for a user's rule, which reaches the model (docs/protocol/wire.md, system prompt). */
const USER_RULE = 2;

const noBuiltInTools = (kinds: string) =>
  `The tools built into Cursor (${kinds}) are not available in this session: every ` +
  "call to one is refused. Answer in text, or use a tool that the user's application offers.";

const NO_BUILT_IN_TOOLS = noBuiltInTools("shell, file, search, web and editor tools");
const NONE_BUT_WEB_TOOLS = noBuiltInTools("shell, file, code search and editor tools, all but those for the web");

export interface ExecContext {
  readonly system: string;
  /** `tools` is everything that the client offers, `callable` the part that may be called now. */
  readonly tools: readonly ToolDefinition[];
  readonly callable: readonly ToolDefinition[];
  /** Whether Cursor's servers may search the web and fetch pages for the model. */
  readonly allowsWeb: boolean;
}

type Answer<Args> = (args: Args, context: ExecContext, reason: string) => ExecResult;

/** The answer or refusal that each question's own result type has (docs/protocol/wire.md, execs). */
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

  recordScreenArgs: (_, __, reason) => withOutcome("recordScreenResult", { case: "failure", value: { error: reason } }),

  computerUseArgs: failed("computerUseResult"),
  writeShellStdinArgs: failed("writeShellStdinResult"),
  subagentArgs: failed("subagentResult"),
  subagentAwaitArgs: ({ agentId }, _, reason) =>
    withOutcome("subagentAwaitResult", { case: "error", value: { agentId, error: reason } }),
  smartModeClassifierArgs: failed("smartModeClassifierResult"),
  canvasDiagnosticsArgs: failed("canvasDiagnosticsResult"),
  conversationSearchArgs: failed("conversationSearchResult"),
  agentStoreConflictArgs: failed("agentStoreConflictResult"),
};

/** Refuses what the server asks this machine to do, with a reason; undefined where only a `throw` can. */
export function answerExec(exec: ExecServerMessage, context: ExecContext): ExecResult | undefined {
  const { message: asked } = exec;
  const reason = refusalReason(context.callable);
  const answer = asked.case === undefined ? undefined : answerOf(asked, context, reason);
  // The other built-in tools have no refusal of their own, and fail.
  const failure = { callId: "", content: [{ type: "text" as const, text: reason }], isError: true };
  return answer ?? nativeResults(exec, { name: "", said: new Set() }, failure)[0];
}

function answerOf<Case extends keyof ArgsByCase>(
  asked: { case: Case; value: ArgsByCase[Case] },
  context: ExecContext,
  reason: string,
): ExecResult | undefined {
  return answers[asked.case]?.(asked.value, context, reason);
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

/** What the client says about its environment: the same bytes in every turn, so that Cursor's prompt cache stays valid. */
export function buildRequestContext(
  system: string,
  tools: readonly ToolDefinition[],
  allowsWeb: boolean,
): RequestContext {
  const rules = [rule("curlew", allowsWeb ? NONE_BUT_WEB_TOOLS : NO_BUILT_IN_TOOLS)];
  // A global rule is the only field in which models see a caller's system prompt (docs/protocol/wire.md, system prompt).
  if (system !== "") rules.push(rule("system", system));
  return create(RequestContextSchema, {
    rules,
    tools: encodeTools(tools),
    env: {
      osVersion: process.platform,
      workspacePaths: [NEUTRAL_FOLDER],
      shell: "sh",
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      projectFolder: NEUTRAL_FOLDER,
      sandboxSupported: false,
      computerUseSupported: false,
      isWorkingDirHomeDir: false,
      processWorkingDirectory: NEUTRAL_FOLDER,
    },
    ...(allowsWeb && { webSearchEnabled: true, webFetchEnabled: true }),
    gitRepoInfoComplete: true,
    mcpInfoComplete: true,
    rulesInfoComplete: true,
    envInfoComplete: true,
    repositoryInfoComplete: true,
    customSubagentsInfoComplete: true,
    agentSkillsInfoComplete: true,
    mcpFileSystemInfoComplete: true,
    gitStatusInfoComplete: true,
  });
}

function rule(name: string, content: string): CursorRule {
  return create(CursorRuleSchema, {
    fullPath: `${NEUTRAL_FOLDER}/.cursor/rules/${name}.mdc`,
    content,
    type: { type: { case: "global", value: {} } },
    source: USER_RULE,
  });
}
