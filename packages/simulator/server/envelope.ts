import { gunzipSync, gzipSync } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";

/**
 * Flag bits of a Connect envelope: one byte of flags, four of length (big-endian), then the payload (docs/protocol/wire.md,
 * frames).
 */
const GZIP = 1;
export const END = 2;
/** The flag of the last frame in gRPC-Web, which shares the envelope. */
export const GRPC_WEB_TRAILERS = 0x80;

const HEAD_BYTES = 5;
/** Large enough for images and long histories, and small enough not to wait for gigabytes after a garbage length. */
const MAX_PAYLOAD_BYTES = 64 * 1024 * 1024;

export function encodeEnvelope(flags: number, payload: Uint8Array): Buffer {
  const envelope = Buffer.allocUnsafe(HEAD_BYTES + payload.byteLength);
  envelope.writeUInt8(flags, 0);
  envelope.writeUInt32BE(payload.byteLength, 1);
  envelope.set(payload, HEAD_BYTES);
  return envelope;
}

export function encodeGzipEnvelope(flags: number, payload: Uint8Array): Buffer {
  // The fastest level: the client only has to inflate, and the size does not matter.
  return encodeEnvelope(flags | GZIP, gzipSync(payload, { level: 1 }));
}

export interface Envelope {
  flags: number;
  /** Inflated, if the flags say that it was compressed. */
  payload: Buffer;
}

/** Cuts a byte stream into envelopes, across chunk boundaries. */
export class EnvelopeReader {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** Whether an envelope has begun and not ended. */
  get isInside(): boolean {
    return this.#bytes > 0;
  }

  push(chunk: Buffer): Envelope[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.byteLength;
    const envelopes: Envelope[] = [];
    for (let next = this.#next(); next !== undefined; next = this.#next()) envelopes.push(next);
    return envelopes;
  }

  #next(): Envelope | undefined {
    if (this.#bytes < HEAD_BYTES) return undefined;
    const length = this.#readLength();
    if (length > MAX_PAYLOAD_BYTES) {
      throw new ConnectError(
        `The message has ${length} bytes; the limit is ${MAX_PAYLOAD_BYTES}.`,
        Code.ResourceExhausted,
      );
    }
    if (this.#bytes < HEAD_BYTES + length) return undefined;
    const envelope = this.#take(HEAD_BYTES + length);
    const flags = envelope.readUInt8(0);
    const payload = envelope.subarray(HEAD_BYTES);
    return { flags, payload: (flags & GZIP) === 0 ? payload : inflate(payload) };
  }

  #readLength(): number {
    const head = Buffer.alloc(HEAD_BYTES);
    let filled = 0;
    for (const chunk of this.#chunks) {
      filled += chunk.copy(head, filled);
      if (filled === HEAD_BYTES) break;
    }
    return head.readUInt32BE(1);
  }

  /** Joins the chunks only when a whole envelope has come, so that a large one costs one copy. */
  #take(bytes: number): Buffer {
    const [first, ...others] = this.#chunks;
    const joined = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#bytes -= bytes;
    this.#chunks = this.#bytes === 0 ? [] : [joined.subarray(bytes)];
    return joined.subarray(0, bytes);
  }
}

function inflate(payload: Buffer): Buffer {
  try {
    return gunzipSync(payload, { maxOutputLength: MAX_PAYLOAD_BYTES });
  } catch {
    throw new ConnectError("A message is marked as gzip, but cannot be inflated.", Code.InvalidArgument);
  }
}
