import { create, toBinary } from "@bufbuild/protobuf";
import { InteractionUpdateSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { encodeGzipEnvelope } from "../../server/envelope.js";

/** The wire tags of a delta: InteractionUpdate.text_delta (1) and .thinking_delta (4) (docs/protocol/wire.md, messages). */
const tags = { text: 0x0a, thinking: 0x22 } as const;
const TOKEN_DELTA = 0x42;
/** A field of AgentServerMessage (111, a varint) that no known schema has. */
const driftField = Buffer.from([0xf8, 0x06, 0x01]);
const DRIFT_EVERY = 5;

interface FrameBatchDeps {
  isGzip: boolean;
  isDrifting: boolean;
  /** What stands beside each delta; undefined for nothing. */
  startedAtMs: bigint | undefined;
}

/**
 * Collects frames of deltas in one buffer. Encoded by hand, because a long answer has a hundred thousand of them and the
 * generated code would cost more than everything else; a test compares the two.
 */
export class FrameBatch {
  readonly #isGzip: boolean;
  readonly #isDrifting: boolean;
  /** What follows the delta in its update. */
  readonly #beside: Uint8Array;
  #buffer = Buffer.allocUnsafe(1024);
  #length = 0;
  #count = 0;
  #frameStart = 0;
  #payloadBytes = 0;

  constructor({ isGzip, isDrifting, startedAtMs }: FrameBatchDeps) {
    this.#isGzip = isGzip;
    this.#isDrifting = isDrifting;
    this.#beside = toBinary(
      InteractionUpdateSchema,
      create(InteractionUpdateSchema, startedAtMs === undefined ? {} : { messageStartedAtMs: startedAtMs }),
    );
  }

  get byteLength(): number {
    return this.#length;
  }

  addDelta(kind: keyof typeof tags, text: string): void {
    const textBytes = Buffer.byteLength(text);
    const delta = 1 + varintBytes(textBytes) + textBytes;
    const update = 1 + varintBytes(delta) + delta + this.#beside.byteLength;
    this.#open(1 + varintBytes(update) + update);
    this.#putLength(0x0a, update);
    this.#putLength(tags[kind], delta);
    this.#putLength(0x0a, textBytes);
    this.#length += this.#buffer.write(text, this.#length);
    this.#putBeside();
    this.#close();
  }

  addTokens(tokens: number): void {
    const delta = 1 + varintBytes(tokens);
    const update = 2 + delta + this.#beside.byteLength;
    this.#open(2 + update);
    this.#putLength(0x0a, update);
    this.#putLength(TOKEN_DELTA, delta);
    this.#putLength(0x08, tokens);
    this.#putBeside();
    this.#close();
  }

  /** Returns everything collected so far, and the size of its messages before compression. The batch is empty afterwards. */
  take(): { frames: Buffer; payloadBytes: number } {
    const taken = { frames: Buffer.from(this.#buffer.subarray(0, this.#length)), payloadBytes: this.#payloadBytes };
    this.#length = 0;
    this.#payloadBytes = 0;
    return taken;
  }

  #open(messageBytes: number): void {
    this.#count += 1;
    const drift = this.#isDrifting && this.#count % DRIFT_EVERY === 0 ? driftField.byteLength : 0;
    const payload = messageBytes + drift;
    this.#reserve(5 + payload);
    this.#frameStart = this.#length;
    this.#buffer[this.#length] = 0;
    this.#buffer.writeUInt32BE(payload, this.#length + 1);
    this.#length += 5;
    this.#payloadBytes += payload;
  }

  #close(): void {
    if (this.#isDrifting && this.#count % DRIFT_EVERY === 0) {
      this.#length += driftField.copy(this.#buffer, this.#length);
    }
    if (!this.#isGzip) return;
    const payload = this.#buffer.subarray(this.#frameStart + 5, this.#length);
    const frame = encodeGzipEnvelope(0, payload);
    this.#length = this.#frameStart;
    this.#reserve(frame.byteLength);
    this.#length += frame.copy(this.#buffer, this.#length);
  }

  #putBeside(): void {
    this.#buffer.set(this.#beside, this.#length);
    this.#length += this.#beside.byteLength;
  }

  #putLength(tag: number, length: number): void {
    this.#buffer[this.#length++] = tag;
    let rest = length;
    while (rest > 0x7f) {
      this.#buffer[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[this.#length++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.byteLength) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.byteLength * 2, this.#length + bytes));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest >>>= 7) bytes += 1;
  return bytes;
}
