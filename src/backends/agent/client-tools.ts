import { create, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  type ExecClientMessage,
  ExecClientMessageSchema,
  type ExecServerMessage,
  type McpArgs,
  McpToolResultContentItemSchema,
  type PartialToolCallUpdate,
} from "../../gen/agent_v1_pb.js";
import type { SentResult } from "../../turn/blocks.js";
import type { ToolDefinition } from "../../turn/turn.js";
import type { AskedCall } from "./client-calls.js";
import { mapNativeExec } from "./native-tools/index.js";
import { PROVIDER } from "./tool-definitions.js";

/** Which of the offered tools a call means; models and servers differ in what they put into which field. */
export function calledTool(args: McpArgs, tools: readonly ToolDefinition[]): string | undefined {
  const spellings = [args.toolName, args.name, withoutProvider(args.name), withoutProvider(args.toolName)];
  return spellings.find((spelling) => tools.some(({ name }) => name === spelling));
}

function withoutProvider(name: string): string {
  return name.startsWith(`${PROVIDER}-`) ? name.slice(PROVIDER.length + 1) : name;
}

/** The arguments as JSON text. The wire knows only doubles; whole numbers print as whole numbers. */
function argumentsOf(args: McpArgs): string {
  const plain = Object.fromEntries(
    Object.entries(args.args).map(([key, value]: [string, Value]) => [key, toJson(ValueSchema, value)]),
  );
  return JSON.stringify(plain);
}

/** An exec as a call for the client: of one of its own tools, or of one that can stand in for a tool of Cursor's. */
export function askedCall(
  exec: ExecServerMessage,
  tools: readonly ToolDefinition[],
  mapsNativeTools: boolean,
  answer: (execId: number, results: readonly ExecClientMessage["message"][]) => void,
): AskedCall | undefined {
  const reply = (toResults: (result: SentResult) => readonly ExecClientMessage["message"][]) => {
    return (execId: number, result: SentResult) => answer(execId, toResults(result));
  };
  if (exec.message.case === "mcpArgs") {
    const args = exec.message.value;
    if (args.smartModeApprovalOnly) return undefined; // only asks whether the call may be made
    const name = calledTool(args, tools);
    if (name === undefined) return undefined;
    const upstreamId = args.toolCallId || `exec-${exec.id}`;
    return { execId: exec.id, upstreamId, name, input: argumentsOf(args), reply: reply(mcpResults) };
  }
  const mapped = mapsNativeTools ? mapNativeExec(exec, tools) : undefined;
  if (mapped === undefined) return undefined;
  const upstreamId = toolCallId(exec) || `exec-${exec.id}`;
  return {
    execId: exec.id,
    upstreamId,
    name: mapped.name,
    input: mapped.input,
    reply: reply((result) => mapped.toResults(result)),
  };
}

/** A call that the model is still writing, when it is of a tool that the client offered. */
export function writtenCall(update: PartialToolCallUpdate, tools: readonly ToolDefinition[]) {
  if (update.toolCall?.tool.case !== "mcpToolCall") return undefined;
  const { args } = update.toolCall.tool.value;
  const name = args && calledTool(args, tools);
  if (name === undefined) return undefined;
  return { upstreamId: args?.toolCallId || update.callId, name, text: update.argsTextDelta };
}

function toolCallId({ message }: ExecServerMessage): string {
  const id: unknown = message.value && Reflect.get(message.value, "toolCallId");
  return typeof id === "string" ? id : "";
}

function contentOf(
  block: SentResult["content"][number],
): NonNullable<MessageInitShape<typeof McpToolResultContentItemSchema>["content"]> {
  switch (block.type) {
    case "text":
      return { case: "text", value: { text: block.text } };
    case "image":
      return { case: "image", value: { data: block.data, mimeType: block.mimeType } };
  }
}

function mcpResults(result: SentResult): readonly ExecClientMessage["message"][] {
  const content = result.content.map((block) => create(McpToolResultContentItemSchema, { content: contentOf(block) }));
  const message = create(ExecClientMessageSchema, {
    message: { case: "mcpResult", value: { result: { case: "success", value: { content, isError: result.isError } } } },
  });
  return [message.message];
}
