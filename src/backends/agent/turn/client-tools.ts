import { toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ExecServerMessage, McpArgs, PartialToolCallUpdate } from "../../../gen/agent_v1_pb.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { mapNativeExec } from "../native-tools/index.js";
import { calledTool } from "../request/tool-definitions.js";
import type { AskedCall } from "./call-result.js";

/** The arguments as JSON text. The wire has only doubles, so whole numbers are printed as whole numbers. */
function argumentsOf(args: McpArgs): string {
  const plain = Object.fromEntries(
    Object.entries(args.args).map(([key, value]: [string, Value]) => [key, toJson(ValueSchema, value)]),
  );
  return JSON.stringify(plain);
}

interface AskedHow {
  readonly mapsNativeTools: boolean;
  readonly askedMs: number;
  /** The client's name of a tool on the wire. */
  readonly clientName: (name: string) => string;
}

/** Reads an exec as a call for the client: of one of its own tools, or of one that is equivalent to a built-in tool. */
export function askedCall(
  exec: ExecServerMessage,
  tools: readonly ToolDefinition[],
  { mapsNativeTools, askedMs, clientName }: AskedHow,
): AskedCall | undefined {
  const { id: execId } = exec;
  if (exec.message.case === "mcpArgs") {
    const args = exec.message.value;
    if (args.smartModeApprovalOnly) return undefined; // this only asks whether the call may be made
    const called = calledTool(args, tools);
    if (called === undefined) return undefined;
    const name = clientName(called);
    const upstreamId = args.toolCallId || `exec-${execId}`;
    return { execId, upstreamId, name, input: argumentsOf(args), askedMs, wants: { type: "mcp" } };
  }
  const mapped = mapsNativeTools ? mapNativeExec(exec, tools) : undefined;
  if (mapped === undefined) return undefined;
  const upstreamId = toolCallId(exec) || `exec-${execId}`;
  const { input, said } = mapped;
  const name = clientName(mapped.name);
  return { execId, upstreamId, name, input, askedMs, wants: { type: "native", exec, said } };
}

/** A call that the model is still writing, if the client offered its tool. */
export function writtenCall(
  update: PartialToolCallUpdate,
  tools: readonly ToolDefinition[],
  clientName: (name: string) => string,
) {
  if (update.toolCall?.tool.case !== "mcpToolCall") return undefined;
  const { args } = update.toolCall.tool.value;
  const called = args && calledTool(args, tools);
  if (called === undefined) return undefined;
  return { upstreamId: args?.toolCallId || update.callId, name: clientName(called), text: update.argsTextDelta };
}

/** The id of the call that an exec makes; empty for one that makes none, or only asks whether a call may be made. */
export function madeCallId(exec: ExecServerMessage): string {
  const { message } = exec;
  return message.case === "mcpArgs" && message.value.smartModeApprovalOnly ? "" : toolCallId(exec);
}

function toolCallId({ message }: ExecServerMessage): string {
  const id: unknown = message.value && Reflect.get(message.value, "toolCallId");
  return typeof id === "string" ? id : "";
}
