import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { ExecServerMessage, Opaque } from "../../../gen/agent_v1_pb.js";
import { deleteRequest, writeRequest } from "./change.js";
import { fetchRequest } from "./fetch.js";
import { listRequest } from "./list.js";
import type { NativeRequest } from "./native-request.js";
import { piRequests } from "./pi.js";
import { readRequest } from "./read.js";
import { grepRequest } from "./search.js";
import { backgroundShellRequest, commandOf, shellRequest, shellStreamRequest } from "./shell.js";

/** The request of a built-in tool that a client's tool might fulfil; undefined for everything else. */
export function readExec({ message: asked }: ExecServerMessage): NativeRequest | undefined {
  switch (asked.case) {
    case "shellArgs":
      return shellRequest(commandOf(asked.value), "shellResult");
    case "shellStreamArgs":
      return shellStreamRequest(commandOf(asked.value));
    case "backgroundShellSpawnArgs":
      return backgroundShellRequest({ ...asked.value, isBackground: true });
    case "miniSweAgentBashArgs": {
      const command = firstText(asked.value);
      if (command === undefined) return undefined;
      return shellRequest({ command, workingDirectory: "", isBackground: false }, "miniSweAgentBashResult");
    }
    case "readArgs":
      return readRequest(asked.value, "readResult");
    case "redactedReadArgs":
      return readRequest(asked.value, "redactedReadResult");
    case "writeArgs":
      return writeRequest(asked.value);
    case "deleteArgs":
      return deleteRequest(asked.value);
    case "lsArgs":
      return listRequest(asked.value);
    case "grepArgs":
      return grepRequest(asked.value);
    case "fetchArgs":
      return fetchRequest(asked.value);
    case "piReadArgs":
      return piRequests.read(asked.value);
    case "piBashArgs":
      return piRequests.bash(asked.value);
    case "piEditArgs":
      return piRequests.edit(asked.value);
    case "piWriteArgs":
      return piRequests.write(asked.value);
    case "piGrepArgs":
      return piRequests.grep(asked.value);
    case "piFindArgs":
      return piRequests.find(asked.value);
    case "piLsArgs":
      return piRequests.ls(asked.value);
    default:
      return undefined;
  }
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
