import type { JsonObject } from "@bufbuild/protobuf";
import type { Ask } from "../../model/script.js";
import type { McpHub } from "../mcp/hub.js";
import type { OpenAsk } from "../model/play.js";
import { findNativeTool, judgeNative } from "../native-tools.js";
import type { Permissions } from "../permissions.js";
import { isObject, type Params } from "./peer.js";

/** The settings that a session's tools depend on. */
export interface AskRules {
  readonly hub: McpHub;
  readonly permissions: Permissions;
  readonly isForced: boolean;
  readonly isReadOnly: boolean;
  readonly mcpTitles: "named" | "anonymous";
  /** Permissions such as `Mcp(server:tool)` that the client granted for good. */
  readonly allowedAlways: Set<string>;
  update(update: object): void;
  /** Asks the client; undefined when the prompt was cancelled meanwhile. */
  request(method: string, params: object): Promise<unknown>;
}

interface ShownCall {
  readonly toolCallId: string;
  readonly title: string;
  readonly kind: string;
  readonly rawInput: JsonObject;
}

const permissionOptions = [
  { optionId: "allow-once", name: "Allow once", kind: "allow_once" },
  { optionId: "allow-always", name: "Allow always", kind: "allow_always" },
  { optionId: "reject-once", name: "Reject", kind: "reject_once" },
];

/** Shows the call, asks for permission where it is needed, and returns what the model reads. */
export async function answerAsk({ ask, id }: OpenAsk, rules: AskRules, signal: AbortSignal): Promise<string> {
  switch (ask.type) {
    case "call":
      return callMcp(ask, id, rules, signal);
    case "native":
      return runNative(ask.kind, ask.args, id, rules);
    case "query":
      return JSON.stringify((await rules.request(`cursor/${ask.kind}`, { toolCallId: id, ...ask.args })) ?? {});
    case "exec":
    case "state":
      return "not known to this client";
  }
}

type McpAsk = Extract<Ask, { type: "call" }>;

async function callMcp({ tool, args }: McpAsk, id: string, rules: AskRules, signal: AbortSignal): Promise<string> {
  const server = tool.definition.providerIdentifier;
  const isNamed = rules.mcpTitles === "named";
  const shown: ShownCall = {
    toolCallId: id,
    title: isNamed ? `${server}: ${tool.name}` : "MCP: tool",
    kind: "other",
    rawInput: isNamed ? args : {},
  };
  begin(shown, rules);
  const what = `${server}:${tool.name}`;
  const isDenied = rules.isReadOnly || rules.permissions.denies("Mcp", what);
  const isAllowed = rules.isForced || rules.permissions.allows("Mcp", what);
  if (isDenied || !(isAllowed || (await mayRun(`Mcp(${what})`, shown, rules)))) {
    return end(shown, "failed", `User rejected MCP: ${tool.definition.name}`, rules);
  }
  rules.update({ sessionUpdate: "tool_call_update", toolCallId: id, status: "in_progress" });
  const { text, isError } = await rules.hub.call(tool, args, signal);
  return end(shown, isError ? "failed" : "completed", text, rules);
}

/** In agent mode, edits need no permission; everything else that changes something does. */
async function runNative(name: string, args: JsonObject, id: string, rules: AskRules): Promise<string> {
  const tool = findNativeTool(name);
  const shown: ShownCall = { toolCallId: id, title: tool.title, kind: tool.acpKind, rawInput: args };
  begin(shown, rules);
  const verdict = judgeNative(tool, args, rules);
  const isFree = verdict.may === "run" || (verdict.may === "ask" && tool.acpKind === "edit");
  if (!isFree && (verdict.may === "not" || !(await mayRun(`${tool.token}(${name})`, shown, rules)))) {
    return end(shown, "failed", verdict.reason, rules);
  }
  return end(shown, "completed", JSON.stringify(tool.success(args)), rules);
}

async function mayRun(token: string, { title, kind, toolCallId, rawInput }: ShownCall, rules: AskRules) {
  if (rules.allowedAlways.has(token)) return true;
  const toolCall = { toolCallId, title, kind, status: "pending", rawInput };
  const answer = await rules.request("session/request_permission", { toolCall, options: permissionOptions });
  const option = chosenOption(answer);
  if (option === "allow-always") rules.allowedAlways.add(token);
  return option === "allow-always" || option === "allow-once";
}

/** The outcome is nested in an `outcome`; a flat one counts as cancelled. */
function chosenOption(answer: unknown): unknown {
  const outcome: Params = isObject(answer) && isObject(answer.outcome) ? answer.outcome : {};
  return outcome.outcome === "selected" ? outcome.optionId : undefined;
}

function begin({ toolCallId, title, kind, rawInput }: ShownCall, { update }: AskRules): void {
  update({ sessionUpdate: "tool_call", toolCallId, title, kind, status: "pending", rawInput });
}

function end({ toolCallId }: ShownCall, status: "completed" | "failed", text: string, { update }: AskRules): string {
  const rawOutput = status === "completed" ? { success: true } : { error: text };
  update({ sessionUpdate: "tool_call_update", toolCallId, status, rawOutput });
  return text;
}
