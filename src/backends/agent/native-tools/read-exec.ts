import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { ExecServerMessage, Opaque } from "../../../gen/agent_v1_pb.js";
import { deleteRequest, writeRequest } from "./change.js";
import { fetchRequest } from "./fetch.js";
import { listRequest } from "./list.js";
import type { ArgsByCase, NativeRequest, NativeRequests } from "./native-request.js";
import { piRequests } from "./pi.js";
import { readRequest } from "./read.js";
import { grepRequest } from "./search.js";
import { backgroundShellRequest, commandOf, shellRequest, shellStreamRequest } from "./shell.js";

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

/** The request of a built-in tool that a client's tool might fulfil; undefined for everything else. */
export function readExec({ message: asked }: ExecServerMessage): NativeRequest | undefined {
  return asked.case === undefined ? undefined : requestOf(asked);
}

function requestOf<Case extends keyof ArgsByCase>(asked: {
  case: Case;
  value: ArgsByCase[Case];
}): NativeRequest | undefined {
  return requests[asked.case]?.(asked.value);
}

/** Field 1 of a message whose fields nobody has named yet, if it is text. */
function firstText({ $unknown: fields }: Opaque): string | undefined {
  const field = fields?.find(({ no, wireType }) => no === 1 && wireType === WireType.LengthDelimited);
  if (field === undefined) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(new BinaryReader(field.data).bytes());
  } catch {
    return undefined; // a message or bytes
  }
}
