import { create, toBinary } from "@bufbuild/protobuf";
import { ExecClientMessageSchema } from "../../../gen/agent_v1_pb.js";
import type { SentResult } from "../../../turn/blocks.js";
import { type Client, clientTools } from "./client-tools.cases.js";
import { mapNativeExec, nativeResults } from "./map-native-exec.js";
import { type NativeExec, nativeExecs } from "./native-execs.cases.js";

export const said = (text: string, isError = false): SentResult => ({
  callId: "call_1",
  content: [{ type: "text", text }],
  isError,
});

/** What goes back upstream when a client's tool has run for a built-in one; each message can be encoded. */
export function answer(client: Client, kind: NativeExec, result: SentResult) {
  const call = mapNativeExec(nativeExecs[kind], clientTools[client]);
  if (call === undefined) throw new Error(`${client} has no tool for ${kind}`);
  return nativeResults(nativeExecs[kind], call, result).map((message) => {
    const created = create(ExecClientMessageSchema, { id: 1, message });
    toBinary(ExecClientMessageSchema, created);
    return created.message;
  });
}
