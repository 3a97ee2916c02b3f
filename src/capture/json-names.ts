import { createRegistry } from "@bufbuild/protobuf";
import { file_agent_v1 } from "../gen/agent_v1_pb.js";
import { file_aiserver_v1 } from "../gen/aiserver_v1_pb.js";

/** Names of Connect's errors and of Cursor's documented API, which have no schema here. */
const others = [
  ...["error", "code", "message", "details", "type", "value", "debug", "metadata", "providerStatusCode", "retryAfter"],
  ...["items", "id", "displayName", "aliases", "parameters", "values", "variants", "params", "isDefault"],
];

const known: ReadonlySet<string> = new Set([...others, ...schemaNames()]);

/** Whether this is a name that an API gives to a field. Others may be content: some objects are keyed by people. */
export function isJsonName(name: string): boolean {
  return known.has(name);
}

function* schemaNames(): Generator<string> {
  for (const type of createRegistry(file_agent_v1, file_aiserver_v1))
    if (type.kind === "message") for (const { jsonName } of type.fields) yield jsonName;
}
