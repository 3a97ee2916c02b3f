import { create } from "@bufbuild/protobuf";
import {
  type CursorRule,
  CursorRuleSchema,
  CursorRuleSource,
  type ExecServerMessage,
  type McpArgs,
  type RequestContext,
  RequestContextSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { nativeResults } from "../native-tools/map-native-exec.js";
import {
  type ByCase,
  type ExecResult,
  madeBy,
  NEUTRAL_FOLDER,
  type ResultTaking,
  withOutcome,
} from "../native-tools/native-request.js";
import { calledTool, encodeTools, PROVIDER } from "../request/tool-definitions.js";

/** Limits the tool names that a refusal lists: the model reads them with every refusal. */
const MAX_NAMES_CHARACTERS = 600;

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

type Rejected = ResultTaking<{ case: "rejected"; value: { reason: string } }>;

/** The answer or refusal to each question, in its own result type (docs/protocol/wire.md, execs). */
function answersWith({ system, tools, callable, allowsWeb }: ExecContext, reason: string): ByCase<ExecResult> {
  const rejectedPath =
    (result: Rejected) =>
    ({ path }: { path: string }) =>
      withOutcome(result, { case: "rejected", value: { path, reason } });
  const rejectedCommand =
    (result: Rejected) =>
    ({ command, workingDirectory }: { command: string; workingDirectory: string }) =>
      withOutcome(result, { case: "rejected", value: { command, workingDirectory, reason } });
  const failed = (result: ResultTaking<{ case: "error"; value: { error: string } }>) => () =>
    withOutcome(result, { case: "error", value: { error: reason } });
  return {
    requestContextArgs() {
      const requestContext = buildRequestContext(system, tools, allowsWeb);
      return withOutcome("requestContextResult", { case: "success", value: { requestContext } });
    },
    mcpStateExecArgs() {
      const server = { serverName: PROVIDER, serverIdentifier: PROVIDER, tools: encodeTools(tools) };
      const servers = tools.length === 0 ? [] : [server];
      return withOutcome("mcpStateExecResult", { case: "success", value: { servers } });
    },
    mcpArgs: (args) => answerMcp(args, callable),
    listMcpResourcesExecArgs: () => withOutcome("listMcpResourcesExecResult", { case: "success", value: {} }),
    readMcpResourceExecArgs: ({ uri }) =>
      withOutcome("readMcpResourceExecResult", { case: "notFound", value: { uri } }),

    shellAllowlistPrecheckArgs: () => ({ case: "shellAllowlistPrecheckResult", value: { allowlisted: false } }),
    mcpAllowlistPrecheckArgs: () => ({ case: "mcpAllowlistPrecheckResult", value: { allowlisted: true } }),
    webFetchAllowlistPrecheckArgs: () => ({
      case: "webFetchAllowlistPrecheckResult",
      value: { allowlisted: allowsWeb },
    }),

    shellArgs: rejectedCommand("shellResult"),
    backgroundShellSpawnArgs: rejectedCommand("backgroundShellSpawnResult"),
    shellStreamArgs: ({ command, workingDirectory }) => ({
      case: "shellStream",
      value: { event: { case: "rejected", value: { command, workingDirectory, reason } } },
    }),
    miniSweAgentBashArgs: () => withOutcome("miniSweAgentBashResult", { case: "rejected", value: { reason } }),

    writeArgs: rejectedPath("writeResult"),
    deleteArgs: rejectedPath("deleteResult"),
    readArgs: rejectedPath("readResult"),
    redactedReadArgs: rejectedPath("redactedReadResult"),
    lsArgs: rejectedPath("lsResult"),
    diagnosticsArgs: rejectedPath("diagnosticsResult"),

    recordScreenArgs: () => withOutcome("recordScreenResult", { case: "failure", value: { error: reason } }),

    computerUseArgs: failed("computerUseResult"),
    writeShellStdinArgs: failed("writeShellStdinResult"),
    subagentArgs: failed("subagentResult"),
    subagentAwaitArgs: ({ agentId }) =>
      withOutcome("subagentAwaitResult", { case: "error", value: { agentId, error: reason } }),
    smartModeClassifierArgs: failed("smartModeClassifierResult"),
    canvasDiagnosticsArgs: failed("canvasDiagnosticsResult"),
    conversationSearchArgs: failed("conversationSearchResult"),
    agentStoreConflictArgs: failed("agentStoreConflictResult"),
  };
}

/** Answers a question, or refuses it with a reason; undefined where only a `throw` can. */
export function answerExec(exec: ExecServerMessage, context: ExecContext): ExecResult | undefined {
  const reason = refusalReason(context.callable);
  const { message } = exec;
  const answer = message.case === undefined ? undefined : madeBy(answersWith(context, reason), message);
  // The other built-in tools have no refusal of their own, and fail.
  const failure = { callId: "", content: [{ type: "text" as const, text: reason }], isError: true };
  return answer ?? nativeResults(exec, { name: "", said: new Set() }, failure)[0];
}

function answerMcp(args: McpArgs, callable: readonly ToolDefinition[]): ExecResult {
  // `smart_mode_approval_only` asks whether a call may be made. The client decides that, and asks its user, when the call itself
  // comes (docs/protocol/live-behaviour.md, how sure the answer to an approval is).
  const isApproved = args.smartModeApprovalOnly && calledTool(args, callable) !== undefined;
  if (isApproved) return withOutcome("mcpResult", { case: "approved", value: {} });
  const availableTools = callable.map((tool) => tool.name);
  return withOutcome("mcpResult", { case: "toolNotFound", value: { name: args.name, availableTools } });
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

/** The client's description of its environment: the same bytes in every turn, so that Cursor's prompt cache stays valid. */
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
    source: CursorRuleSource.USER, // which reaches the model (docs/protocol/wire.md, system prompt)
  });
}
