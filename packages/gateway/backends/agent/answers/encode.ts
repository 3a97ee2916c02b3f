import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { AgentClientMessageSchema, ExecClientMessageSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { encodeEnvelope } from "../../cursor/envelope.js";
import type { ExecResult } from "../native-tools/native-request.js";

const EXEC_MESSAGE_FIELD = 2; // AgentClientMessage.exec_client_message (docs/protocol/wire.md, messages)
const EXEC_ID_FIELD = 1; // ExecClientMessage.id
const EXEC_TIME_FIELD = 39; // ExecClientMessage.local_execution_time_ms

export type ClientMessage = NonNullable<MessageInitShape<typeof AgentClientMessageSchema>["message"]>;

export function encodeMessage(message: ClientMessage): Buffer {
  return encodeEnvelope(toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, { message })));
}

/** The heartbeat of a run (docs/protocol/wire.md, timing), encoded once because it is sent again and again. */
export const heartbeatFrame: Buffer = encodeMessage({ case: "clientHeartbeat", value: {} });

/** The heartbeats of the first calls of a run. Every run numbers its calls from 0, so all runs share these frames. */
const execHeartbeatFrames: readonly Buffer[] = Array.from({ length: 128 }, (_, id) => encodeExecHeartbeat(id));

/** The heartbeat of a call that the client is running. Frames are shared: do not modify them. */
export function execHeartbeatFrame(id: number): Buffer {
  return execHeartbeatFrames[id] ?? encodeExecHeartbeat(id);
}

function encodeExecHeartbeat(id: number): Buffer {
  return encodeMessage({ case: "execClientControlMessage", value: { message: { case: "heartbeat", value: { id } } } });
}

/** Encodes an answer, then `stream_close`: streamed answers hang without it (docs/protocol/wire.md, execs). Our own answers take no time. */
export function encodeExecAnswer(id: number, messages: readonly ExecResult[], localExecutionTimeMs = 0): Buffer[] {
  const close: ClientMessage = {
    case: "execClientControlMessage",
    value: { message: { case: "streamClose", value: { id } } },
  };
  return [
    ...messages.map((message) =>
      encodeMessage({ case: "execClientMessage", value: { id, message, localExecutionTimeMs } }),
    ),
    encodeMessage(close),
  ];
}

/** Encodes an answer without the id of its question, so that it can be reused. */
export function writeExecAnswer(message: ExecResult): Uint8Array {
  return toBinary(ExecClientMessageSchema, create(ExecClientMessageSchema, { message }));
}

/** Makes the same frames as `encodeExecAnswer` from an encoded answer. */
export function encodeWrittenAnswer(id: number, written: Uint8Array): Buffer[] {
  const number = new BinaryWriter().tag(EXEC_ID_FIELD, WireType.Varint).uint32(id).finish();
  const time = new BinaryWriter().tag(EXEC_TIME_FIELD, WireType.Varint).int32(0).finish();
  const length = number.length + written.length + time.length;
  const head = new BinaryWriter().tag(EXEC_MESSAGE_FIELD, WireType.LengthDelimited).uint32(length).finish();
  return [encodeEnvelope(head, number, written, time), ...encodeExecAnswer(id, [])];
}
