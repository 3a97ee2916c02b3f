import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { AgentClientMessageSchema, type ExecClientMessage, ExecClientMessageSchema } from "../../../gen/agent_v1_pb.js";
import { encodeEnvelope } from "../../cursor/envelope.js";

const EXEC_MESSAGE_FIELD = 2; // AgentClientMessage.exec_client_message
const EXEC_ID_FIELD = 1; // ExecClientMessage.id
const EXEC_TIME_FIELD = 39; // ExecClientMessage.local_execution_time_ms

export type ClientMessage = NonNullable<MessageInitShape<typeof AgentClientMessageSchema>["message"]>;

export function encodeMessage(message: ClientMessage): Buffer {
  return encodeEnvelope(toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, { message })));
}

/** `3a 00` in its envelope: the one message that is sent over and over. */
export const heartbeatFrame: Buffer = encodeMessage({ case: "clientHeartbeat", value: {} });

export function encodeExecHeartbeat(id: number): Buffer {
  return encodeMessage({ case: "execClientControlMessage", value: { message: { case: "heartbeat", value: { id } } } });
}

/** Every answer tells how long it took, and is closed; streamed ones hang without that. */
export function encodeExecAnswer(
  id: number,
  messages: readonly ExecClientMessage["message"][],
  localExecutionTimeMs: number,
): Buffer[] {
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

/** An answer without the number of its question. */
export function writeExecAnswer(message: ExecClientMessage["message"]): Uint8Array {
  return toBinary(ExecClientMessageSchema, create(ExecClientMessageSchema, { message }));
}

/** The same as `encodeExecAnswer` makes of it, from an answer that is written already. */
export function encodeWrittenAnswer(id: number, written: Uint8Array, localExecutionTimeMs: number): Buffer[] {
  const number = new BinaryWriter().tag(EXEC_ID_FIELD, WireType.Varint).uint32(id).finish();
  const time = new BinaryWriter().tag(EXEC_TIME_FIELD, WireType.Varint).int32(localExecutionTimeMs).finish();
  const length = number.length + written.length + time.length;
  const head = new BinaryWriter().tag(EXEC_MESSAGE_FIELD, WireType.LengthDelimited).uint32(length).finish();
  return [encodeEnvelope(head, number, written, time), ...encodeExecAnswer(id, [], localExecutionTimeMs)];
}
