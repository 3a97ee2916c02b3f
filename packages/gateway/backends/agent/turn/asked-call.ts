import { toJson } from "@bufbuild/protobuf";
import { type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ExecServerMessage, PartialToolCallUpdate } from "@curlew/wire/gen/agent_v1_pb.js";
import type { SentResult } from "../../../turn/blocks.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import type { Carriage } from "../../backend.js";
import { encodeExecAnswer } from "../answers/encode.js";
import { carriesWords, mapNativeExec, nativeResults } from "../native-tools/map-native-exec.js";
import { type ExecResult, withOutcome } from "../native-tools/native-request.js";
import { calledTool } from "../request/tool-definitions.js";

const LONGEST_MS = 2 ** 31 - 1;

/** A call as the server asks for it, with everything that its answer needs. */
export interface AskedCall {
  readonly execId: number;
  readonly upstreamId: string;
  readonly name: string;
  readonly input: string;
  readonly askedMs: number;
  /** The built-in tool that the client's tool replaces: the server waits for a result of its type. */
  readonly native?: { readonly exec: ExecServerMessage; readonly said: ReadonlySet<string> };
}

export function carriageOf(asked: AskedCall | undefined): Carriage {
  if (asked?.native === undefined) return "anything";
  return carriesWords(asked.native.exec) ? "words" : "nothing";
}

export function encodeCallResult(asked: AskedCall, result: SentResult, nowMs: number): Buffer[] {
  const tookMs = Math.min(Math.round(nowMs - asked.askedMs), LONGEST_MS);
  const { execId, name, native } = asked;
  const results = native ? nativeResults(native.exec, { name, said: native.said }, result) : [mcpResult(result)];
  return encodeExecAnswer(execId, results, tookMs);
}

function mcpResult({ content: blocks, isError, words }: SentResult): ExecResult {
  const said = words === undefined ? blocks : [...blocks, { type: "text" as const, text: words }];
  const content = said.map((block) => ({
    content:
      block.type === "text"
        ? { case: block.type, value: { text: block.text } }
        : { case: block.type, value: { data: block.data, mimeType: block.mimeType } },
  }));
  return withOutcome("mcpResult", { case: "success", value: { content, isError } });
}

interface AskedHow {
  readonly mapsNativeTools: boolean;
  readonly askedMs: number;
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
    // The wire has only doubles, so whole numbers are printed as whole numbers.
    const input = Object.entries(args.args).map(([key, value]: [string, Value]) => [key, toJson(ValueSchema, value)]);
    return { execId, upstreamId, name, input: JSON.stringify(Object.fromEntries(input)), askedMs };
  }
  const mapped = mapsNativeTools ? mapNativeExec(exec, tools) : undefined;
  if (mapped === undefined) return undefined;
  const upstreamId = toolCallId(exec) || `exec-${execId}`;
  const { input, said } = mapped;
  const name = clientName(mapped.name);
  return { execId, upstreamId, name, input, askedMs, native: { exec, said } };
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
