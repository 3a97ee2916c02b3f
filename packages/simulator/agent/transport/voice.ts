import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import {
  AgentServerMessageSchema,
  type InteractionUpdate,
  InteractionUpdateSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import type { FrameSink } from "./frame-sink.js";

type ServerMessage = NonNullable<MessageInitShape<typeof AgentServerMessageSchema>["message"]>;
type Update = NonNullable<MessageInitShape<typeof InteractionUpdateSchema>["message"]>;

/** A field of AgentServerMessage (112, of length zero) that no known schema has. */
const driftField = Buffer.from([0x82, 0x07, 0x00]);
/** A field that no known update has. */
const innerField = { no: 113, wireType: WireType.Varint, data: Uint8Array.of(1) };

interface VoiceDeps {
  sink: FrameSink;
  isDrifting: boolean;
  /** What stands beside each update; undefined for nothing. */
  startedAtMs: bigint | undefined;
}

/** Encodes the rare messages; FrameBatch encodes the deltas. */
export class Voice {
  readonly sink: FrameSink;
  readonly #isDrifting: boolean;
  readonly #startedAtMs: bigint | undefined;

  constructor({ sink, isDrifting, startedAtMs }: VoiceDeps) {
    this.sink = sink;
    this.#isDrifting = isDrifting;
    this.#startedAtMs = startedAtMs;
  }

  send(message: ServerMessage): Promise<void> {
    return this.sendBytes(toBinary(AgentServerMessageSchema, create(AgentServerMessageSchema, { message })));
  }

  update(message: Update): Promise<void> {
    const update = this.#dated(message);
    // A newer server adds fields inside known messages, too.
    if (this.#isDrifting && update.message.value !== undefined) update.message.value.$unknown = [{ ...innerField }];
    return this.send({ case: "interactionUpdate", value: update });
  }

  /** For heartbeats, which are skipped under back-pressure: a slow reader has enough to read. */
  beat(): void {
    const value = this.#dated({ case: "heartbeat", value: {} });
    const message = create(AgentServerMessageSchema, { message: { case: "interactionUpdate", value } });
    this.sink.sendIfRoom(toBinary(AgentServerMessageSchema, message));
  }

  #dated(message: Update): InteractionUpdate {
    const messageStartedAtMs = this.#startedAtMs;
    return create(InteractionUpdateSchema, {
      message,
      ...(messageStartedAtMs !== undefined && { messageStartedAtMs }),
    });
  }

  sendBytes(payload: Uint8Array): Promise<void> {
    return this.sink.send(this.#isDrifting ? Buffer.concat([payload, driftField]) : payload);
  }
}

/** `AgentServerMessage.interaction_update` (docs/protocol/wire.md, messages). */
const INTERACTION_UPDATE = 1;

/** An update of any number. */
export function updateBytes(field: number, payload: Uint8Array = new Uint8Array()): Uint8Array {
  return wrapField(INTERACTION_UPDATE, wrapField(field, payload));
}

/** A length-delimited field around an encoded message. */
export function wrapField(field: number, bytes: Uint8Array): Uint8Array {
  return new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(bytes).finish();
}

/** An empty message in a field of any number, known to the schema or not. */
export function unknownField(field: number): Uint8Array {
  return wrapField(field, new Uint8Array());
}
