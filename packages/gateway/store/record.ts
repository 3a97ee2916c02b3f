import { crc32 } from "node:zlib";
import { asBuffer, ID_BYTES } from "./key.js";

const RECORD_VERSION = 2;
/** A version byte and a check sum. */
const SEAL_BYTES = 5;

/** A row as it is stored: its names, its text and bytes, and the content that came with it. */
export interface Record {
  /** The hashes of its names, one after the other. */
  readonly names: Buffer;
  readonly text: string;
  readonly bytes: Uint8Array;
  /** Ids, lengths and contents, one after the other. */
  readonly pack: Buffer;
}

export function encodeRecord({ names, text, bytes, pack }: Record): Buffer {
  const parts = [...[names, Buffer.from(text), bytes].flatMap((part) => [lengthOf(part), part]), pack];
  // Outside Node's buffer pool, where a small record would keep a whole slab alive.
  const record = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, SEAL_BYTES));
  let at = SEAL_BYTES;
  for (const part of parts) {
    record.set(part, at);
    at += part.length;
  }
  record.writeUInt8(RECORD_VERSION, 0);
  record.writeUInt32BE(crc32(record.subarray(SEAL_BYTES)), 1);
  return record;
}

/** Undefined for a row that is damaged, or of another version. */
export function decodeRecord(stored: Uint8Array | undefined): Record | undefined {
  if (stored === undefined || stored.length < SEAL_BYTES) return undefined;
  const record = asBuffer(stored);
  const body = record.subarray(SEAL_BYTES);
  if (record.readUInt8(0) !== RECORD_VERSION || crc32(body) !== record.readUInt32BE(1)) return undefined;
  let at = 0;
  const next = () => {
    const start = at + 4;
    at = start + body.readUInt32BE(at);
    return body.subarray(start, at);
  };
  const [names, text, bytes] = [next(), next().toString("utf8"), next()];
  return { names, text, bytes, pack: body.subarray(at) };
}

export function* namesIn({ names }: Record): Generator<Buffer, void, undefined> {
  for (let at = 0; at < names.length; at += ID_BYTES) yield names.subarray(at, at + ID_BYTES);
}

/** Contents by their ids, as latin1 texts. */
export type Contents = Map<string, Uint8Array>;

export function packOf(contents: Contents): Buffer {
  return Buffer.concat(Array.from(contents).flatMap(([id, data]) => [Buffer.from(id, "latin1"), lengthOf(data), data]));
}

export function unpackInto(contents: Contents, { pack }: Record): void {
  for (let at = 0; at < pack.length; ) {
    const start = at + ID_BYTES + 4;
    const end = start + pack.readUInt32BE(at + ID_BYTES);
    contents.set(pack.toString("latin1", at, at + ID_BYTES), pack.subarray(start, end));
    at = end;
  }
}

function lengthOf(part: Uint8Array): Buffer {
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(part.length);
  return length;
}
