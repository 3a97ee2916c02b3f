import { crc32 } from "node:zlib";
import { z } from "zod";
import { asBuffer, CONVERSATION_BYTES } from "./key.js";
import type { Checkpoint } from "./store.js";

const RECORD_VERSION = 1;
/** A version byte and a check sum. */
const SEAL_BYTES = 5;

const CheckpointHead = z.object({
  conversationId: z.string(),
  phase: z.enum(["staged", "settled"]),
  calls: z.array(z.object({ id: z.string(), upstreamId: z.string(), name: z.string(), input: z.string() })),
  memo: z.string(),
});

/** The record is the length of the head, the head as JSON, and the state as it is. */
export function encodeCheckpoint({ state, conversationId, phase, calls, memo }: Checkpoint): Buffer {
  const head = Buffer.from(JSON.stringify({ conversationId, phase, calls, memo }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return seal([length, head, state]);
}

export function decodeCheckpoint(record: Uint8Array): Checkpoint | undefined {
  const body = unseal(record);
  if (body === undefined || body.length < 4) return undefined;
  const end = 4 + body.readUInt32BE(0);
  try {
    const head = CheckpointHead.parse(JSON.parse(body.toString("utf8", 4, end)));
    return { ...head, state: body.subarray(end) };
  } catch {
    return undefined;
  }
}

/** The state alone, for callers that only follow the blobs that it names. */
export function stateOf(record: Uint8Array | undefined): Uint8Array | undefined {
  const body = unseal(record);
  return body === undefined || body.length < 4 ? undefined : body.subarray(4 + body.readUInt32BE(0));
}

export interface Mark {
  readonly usedMs: number;
  readonly bytes: number;
  readonly conversation: Buffer;
  /** Whether its blobs are recorded as reached by the conversation. */
  readonly isLinked: boolean;
}

export function encodeMark({ usedMs, bytes, conversation, isLinked }: Mark): Buffer {
  return Buffer.concat([encodeFreshness({ putMs: usedMs, bytes }), Buffer.of(isLinked ? 1 : 0), conversation]);
}

export function decodeMark(row: Uint8Array | undefined): Mark | undefined {
  if (row?.length !== 13 + CONVERSATION_BYTES) return undefined;
  const bytes = asBuffer(row);
  return {
    usedMs: bytes.readDoubleBE(0),
    bytes: bytes.readUInt32BE(8),
    isLinked: bytes.readUInt8(12) === 1,
    conversation: bytes.subarray(13),
  };
}

export interface Freshness {
  readonly putMs: number;
  readonly bytes: number;
}

export function encodeFreshness({ putMs, bytes }: Freshness): Buffer {
  const row = Buffer.alloc(12);
  row.writeDoubleBE(putMs, 0);
  row.writeUInt32BE(bytes, 8);
  return row;
}

export function decodeFreshness(row: Uint8Array | undefined): Freshness | undefined {
  if (row?.length !== 12) return undefined;
  const bytes = asBuffer(row);
  return { putMs: bytes.readDoubleBE(0), bytes: bytes.readUInt32BE(8) };
}

/** The value of rows whose existence is their whole meaning. */
export const present = Buffer.from([1]);

export function encodeSize(bytes: number): Buffer {
  const row = Buffer.alloc(4);
  row.writeUInt32BE(bytes);
  return row;
}

export function decodeSize(row: Uint8Array): number {
  return row.length === 4 ? asBuffer(row).readUInt32BE(0) : 0;
}

export interface Note {
  readonly putMs: number;
  readonly value: string;
}

export function encodeNote({ putMs, value }: Note): Buffer {
  const time = Buffer.alloc(8);
  time.writeDoubleBE(putMs);
  return seal([time, Buffer.from(value)]);
}

export function decodeNote(record: Uint8Array | undefined): Note | undefined {
  const body = unseal(record);
  if (body === undefined || body.length < 8) return undefined;
  return { putMs: body.readDoubleBE(0), value: body.toString("utf8", 8) };
}

function seal(parts: readonly Uint8Array[]): Buffer {
  const record = Buffer.concat([Buffer.alloc(SEAL_BYTES), ...parts]);
  record.writeUInt8(RECORD_VERSION, 0);
  record.writeUInt32BE(crc32(record.subarray(SEAL_BYTES)), 1);
  return record;
}

function unseal(record: Uint8Array | undefined): Buffer | undefined {
  if (record === undefined) return undefined;
  const bytes = asBuffer(record);
  if (bytes.length < SEAL_BYTES || bytes.readUInt8(0) !== RECORD_VERSION) return undefined;
  const body = bytes.subarray(SEAL_BYTES);
  return crc32(body) === bytes.readUInt32BE(1) ? body : undefined;
}
