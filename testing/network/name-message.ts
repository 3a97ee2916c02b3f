import { fromBinary } from "@bufbuild/protobuf";
import { AgentServerMessageSchema } from "../../src/gen/agent_v1_pb.js";

/** What a message of the server is called in reports: `textDelta`, `exec mcpArgs`, `conversationCheckpointUpdate`, ... */
export function nameMessage(payload: Uint8Array): string {
  const { message } = fromBinary(AgentServerMessageSchema, payload);
  switch (message.case) {
    case "interactionUpdate":
      return message.value.message.case ?? "unknown update";
    case "execServerMessage":
      return `exec ${message.value.message.case ?? "unknown"}`;
    case "kvServerMessage":
      return `kv ${message.value.message.case ?? "unknown"}`;
    default:
      return message.case ?? "unknown";
  }
}
