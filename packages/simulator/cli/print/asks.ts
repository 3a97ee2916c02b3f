import type { JsonObject } from "@bufbuild/protobuf";
import { findQueryKind } from "../../model/query-kinds.js";
import type { Ask } from "../../model/script.js";
import type { McpHub } from "../mcp/hub.js";
import type { OpenAsk } from "../model/play.js";
import { findNativeTool, judgeNative } from "../native-tools.js";
import type { Permissions } from "../permissions.js";
import type { Narrator, ShownCall } from "./narrator.js";

export interface AskRules {
  readonly hub: McpHub;
  readonly narrator: Narrator;
  readonly permissions: Permissions;
  /** Set by `--force` or `--yolo`. */
  readonly isForced: boolean;
  /** True in plan and ask mode. */
  readonly isReadOnly: boolean;
}

/** Print mode decides by itself what may run. Returns what the model reads. */
export async function answerAsk({ ask, id }: OpenAsk, rules: AskRules, signal: AbortSignal): Promise<string> {
  switch (ask.type) {
    case "call":
      return callMcp(ask, id, rules, signal);
    case "native":
      return runNative(ask.kind, ask.args, id, rules);
    case "query":
      return answerQuery(ask.kind, ask.args, id, rules);
    case "exec":
    case "state":
      return "not known to this client";
  }
}

type McpAsk = Extract<Ask, { type: "call" }>;

async function callMcp({ tool, args }: McpAsk, id: string, rules: AskRules, signal: AbortSignal): Promise<string> {
  const server = tool.definition.providerIdentifier;
  const call: ShownCall = {
    id,
    kind: "mcpToolCall",
    args: {
      name: tool.definition.name,
      args,
      toolCallId: id,
      providerIdentifier: server,
      toolName: tool.name,
      smartModeApprovalOnly: false,
      skipApproval: false,
      serverIdentifier: server,
    },
    description: tool.definition.description,
  };
  rules.narrator.toolStarted(call);
  if (!mayCall(`${server}:${tool.name}`, rules)) {
    const reason = `User rejected MCP: ${tool.definition.name}`;
    rules.narrator.toolCompleted(call, { rejected: { reason } });
    return reason;
  }
  const { text, isError } = await rules.hub.call(tool, args, signal);
  const success = { content: [{ text: { text } }], isError, systemReminders: [] };
  rules.narrator.toolCompleted(call, { success });
  return text;
}

function mayCall(what: string, { permissions, isForced, isReadOnly }: AskRules): boolean {
  if (isReadOnly || permissions.denies("Mcp", what)) return false;
  return isForced || permissions.allows("Mcp", what);
}

function runNative(kind: string, args: JsonObject, id: string, rules: AskRules): string {
  const tool = findNativeTool(kind);
  const call: ShownCall = { id, kind: tool.kind, args };
  rules.narrator.toolStarted(call);
  // Print mode has no person to ask.
  const verdict = judgeNative(tool, args, rules);
  const outcome: JsonObject =
    verdict.may === "run" ? { success: tool.success(args) } : { rejected: { reason: verdict.reason } };
  rules.narrator.toolCompleted(call, outcome);
  return JSON.stringify(outcome);
}

const NO_QUESTIONS = "Questions skipped by the user, continue with the information you already have";

/** Print mode approves web searches and plans and declines questions, because no person can answer them. */
function answerQuery(name: string, args: JsonObject, id: string, { narrator }: AskRules): string {
  const type = findQueryKind(name)?.queryCase ?? name;
  const response: JsonObject = name === "ask_question" ? { rejected: { reason: NO_QUESTIONS } } : { approved: {} };
  const responseType = type.replace(/Query$/, "Response");
  narrator.query({ type, args: { ...args, toolCallId: id }, responseType, response });
  return JSON.stringify(response);
}
