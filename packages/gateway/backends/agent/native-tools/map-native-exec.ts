import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { ExecServerMessage, FetchArgs, Opaque } from "@curlew/wire/gen/agent_v1_pb.js";
import type { SentResult } from "../../../turn/blocks.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { readResult } from "./client-result.js";
import { type Role, type RoleEntry, roles } from "./equivalents.js";
import { deleteRequest, editInputs, readInputs, readRequest, writeInputs, writeRequest } from "./files.js";
import { fillInput } from "./fill-input.js";
import { findTools } from "./find-tools.js";
import { listInputs, listRequest } from "./list.js";
import {
  type ByCase,
  type ExecResult,
  madeBy,
  type NativeRequest,
  positive,
  type ResultTaking,
  type WantedInput,
  withOutcome,
} from "./native-request.js";
import { globInputs, grepInputs, grepRequest } from "./search.js";
import { backgroundShellRequest, commandOf, shellInputs, shellRequest, shellStreamRequest } from "./shell.js";
import { asShellInput, printedBy, shellsForFiles } from "./shell-commands.js";

interface MappedCall {
  readonly name: string;
  readonly input: string;
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
  for (const tool of shellsForFiles(tools)) {
    for (const wanted of request.inputs) {
      const input = asShellInput(request.role, wanted);
      const filled = input && fillInput(tool, roles.shell, input);
      if (filled === undefined) continue;
      const said = new Set([...filled.said, ...Object.keys(wanted.must)]);
      return { name: tool.name, input: JSON.stringify(filled.input), said };
    }
  }
  return undefined;
}

/** Converts the client's result to the typed answers that the server waits for, in order (shell_stream: start, stdout, exit). */
export function nativeResults(
  exec: ExecServerMessage,
  { name, said }: Pick<MappedCall, "name" | "said">,
  result: SentResult,
): readonly ExecResult[] {
  const request = readExec(exec);
  const answer = readResult(result, name);
  const isByShell = request?.role !== "shell" && said.has("command");
  return request?.toResults(isByShell ? printedBy(request.role, answer) : answer, said) ?? [];
}

export function carriesWords(exec: ExecServerMessage): boolean {
  return readExec(exec)?.carriesWords === true;
}

const requests: ByCase<NativeRequest | undefined> = {
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

  // The newer family of built-in tools: the same work as the older family, but every result is one text.
  piReadArgs: (args) => textRequest("piReadResult", "read", readInputs(args)),
  piBashArgs({ command, timeout }) {
    const timeoutMs = positive((timeout ?? 0) * 1_000);
    const asked = { command, workingDirectory: "", timeoutMs, patienceMs: timeoutMs, isBackground: false };
    return textRequest("piBashResult", "shell", shellInputs(asked));
  },
  piEditArgs: (args) => textRequest("piEditResult", "edit", editInputs(args)),
  piWriteArgs: ({ path, content }) => textRequest("piWriteResult", "write", writeInputs(path, content)),
  piGrepArgs({ pattern, path, glob, ignoreCase, literal, context, limit }) {
    const extent = { outputMode: "content", hasLineNumbers: true, context: positive(context), limit: positive(limit) };
    const asked = { pattern, path, glob, isCaseInsensitive: ignoreCase, isLiteral: literal, extent };
    return textRequest("piGrepResult", "grep", grepInputs(asked));
  },
  piFindArgs: ({ pattern, path, limit }) =>
    textRequest("piFindResult", "glob", globInputs(pattern, path, positive(limit))),
  piLsArgs: ({ path, limit }) =>
    textRequest("piLsResult", "list", listInputs({ path: path ?? ".", limit: positive(limit) })),
};

/** Reads the request of a built-in tool that a client's tool might serve; undefined for everything else. */
function readExec({ message }: ExecServerMessage): NativeRequest | undefined {
  return message.case === undefined ? undefined : madeBy(requests, message);
}

function firstText({ $unknown: fields }: Opaque): string | undefined {
  const field = fields?.find(({ no, wireType }) => no === 1 && wireType === WireType.LengthDelimited);
  if (field === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(new BinaryReader(field.data).bytes());
  } catch {
    return undefined; // a message or bytes
  }
}

const WHOLE_PAGE = "Give the content of this page in full, without leaving anything out.";

function fetchRequest({ url }: FetchArgs): NativeRequest {
  const wanted: WantedInput = {
    must: { url },
    ifRequired: { format: { oneOf: ["markdown", "text", "html"] }, prompt: WHOLE_PAGE },
    purpose: `Fetch ${url}`,
  };
  return {
    role: "fetch",
    // The second input is for tools that take the address from their prompt.
    inputs: url === "" ? [] : [wanted, { ...wanted, must: { prompt: `Fetch ${url}. ${WHOLE_PAGE}` } }],
    carriesWords: true,
    toResults({ text, isError, words }) {
      if (isError) return [withOutcome("fetchResult", { case: "error", value: { url, error: text + words } })];
      const page = { url, content: text + words, statusCode: 200, contentType: "text/plain" };
      return [withOutcome("fetchResult", { case: "success", value: page })];
    },
  };
}

function textRequest(
  resultCase: ResultTaking<{ case: "success"; value: { output: string } }>,
  role: Role,
  inputs: readonly WantedInput[],
): NativeRequest {
  return {
    role,
    inputs,
    carriesWords: true,
    toResults({ text, isError, words }) {
      if (isError) return [withOutcome(resultCase, { case: "error", value: { error: text + words } })];
      return [withOutcome(resultCase, { case: "success", value: { output: text + words } })];
    },
  };
}
