import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { ExecServerMessage, Opaque } from "../../../gen/agent_v1_pb.js";
import type { SentResult } from "../../../turn/blocks.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { readResult } from "./client-result.js";
import { type RoleEntry, roles } from "./equivalents.js";
import { fetchRequest } from "./fetch.js";
import { fillInput } from "./fill-input.js";
import { findTools } from "./find-tools.js";
import { listRequest } from "./list.js";
import type { ArgsByCase, ExecResult, NativeRequest, NativeRequests } from "./native-request.js";
import { piRequests } from "./pi.js";
import { readRequest } from "./read.js";
import { grepRequest } from "./search.js";
import { backgroundShellRequest, commandOf, shellRequest, shellStreamRequest } from "./shell.js";
import { deleteRequest, writeRequest } from "./write-edit-delete.js";

/** A call of one of Cursor's built-in tools, translated to the client's equivalent tool. */
export interface MappedCall {
  /** The client's own name for the tool. */
  readonly name: string;
  /** Arguments that fit its schema, as JSON text. */
  readonly input: string;
  /** The slots of the request that the tool has parameters for. */
  readonly said: ReadonlySet<string>;
}

/** Returns undefined when no tool of the client can do it. */
export function mapNativeExec(exec: ExecServerMessage, tools: readonly ToolDefinition[]): MappedCall | undefined {
  const request = readExec(exec);
  if (request === undefined) return undefined;
  const role: RoleEntry = roles[request.role];
  for (const tool of findTools(tools, role)) {
    for (const wanted of request.inputs) {
      const filled = fillInput(tool, role, wanted);
      if (filled === undefined) continue;
      return { name: tool.name, input: JSON.stringify(filled.input), said: filled.said };
    }
  }
  return undefined;
}

/** Whether the answer to this request has room for words of the user. */
export function takesWords(exec: ExecServerMessage): boolean {
  return readExec(exec)?.takesWords === true;
}

/** Converts the client's result to the typed answers that the server waits for, in order (shell_stream: start, stdout, exit). */
export function nativeResults(
  exec: ExecServerMessage,
  { name, said }: Pick<MappedCall, "name" | "said">,
  result: SentResult,
): readonly ExecResult[] {
  return readExec(exec)?.toResults(readResult(result, name), said) ?? [];
}

const requests: NativeRequests = {
  shellArgs: (args) => shellRequest(commandOf(args), "shellResult"),
  shellStreamArgs: (args) => shellStreamRequest(commandOf(args)),
  backgroundShellSpawnArgs: (args) => backgroundShellRequest({ ...args, isBackground: true }),
  miniSweAgentBashArgs(args) {
    const command = firstText(args);
    if (command === undefined) return undefined;
    return shellRequest({ command, workingDirectory: "", isBackground: false }, "miniSweAgentBashResult");
  },
  readArgs: (args) => readRequest(args, "readResult"),
  redactedReadArgs: (args) => readRequest(args, "redactedReadResult"),
  writeArgs: writeRequest,
  deleteArgs: deleteRequest,
  lsArgs: listRequest,
  grepArgs: grepRequest,
  fetchArgs: fetchRequest,
  ...piRequests,
};

/** Reads the request of a built-in tool that a client's tool might serve; undefined for everything else. */
function readExec({ message: asked }: ExecServerMessage): NativeRequest | undefined {
  return asked.case === undefined ? undefined : requestOf(asked);
}

function requestOf<Case extends keyof ArgsByCase>(asked: {
  case: Case;
  value: ArgsByCase[Case];
}): NativeRequest | undefined {
  return requests[asked.case]?.(asked.value);
}

/** Field 1 of a message without a known schema, if it is text. */
function firstText({ $unknown: fields }: Opaque): string | undefined {
  const field = fields?.find(({ no, wireType }) => no === 1 && wireType === WireType.LengthDelimited);
  if (field === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(new BinaryReader(field.data).bytes());
  } catch {
    return undefined; // a message or bytes
  }
}
