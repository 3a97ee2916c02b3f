import { constants, gunzipSync } from "node:zlib";
import { GatewayError } from "../../turn/error.js";

export const ENVELOPE_HEADER_BYTES = 5;
/** The flag bits of a frame (docs/protocol/wire.md, frames). */
const FLAG_GZIP = 0x01;
const FLAG_END = 0x02;
/** Far above any real message: a larger length means that we have lost the frame borders. */
const MAX_FRAME_BYTES = 32 * 1024 * 1024;

export interface FrameSink {
  /** The message is `bytes` from `start` to `end`. The buffer may be reused after the call. */
  message(bytes: Buffer, start: number, end: number): void;
  end(json: string): void;
}

export function encodeEnvelope(...payload: readonly Uint8Array[]): Buffer {
  const length = payload.reduce((sum, piece) => sum + piece.length, 0);
  const frame = Buffer.allocUnsafe(ENVELOPE_HEADER_BYTES + length);
  frame[0] = 0;
  frame.writeUInt32BE(length, 1);
  let at = ENVELOPE_HEADER_BYTES;
  for (const piece of payload) {
    frame.set(piece, at);
    at += piece.length;
  }
  return frame;
}

/** Cuts a byte stream into Connect frames (docs/protocol/wire.md, frames). `push` throws GatewayError for anything else. */
export class EnvelopeReader {
  readonly #sink: FrameSink;
  /** Chunks of an incomplete frame, and the number of bytes needed to continue. */
  #parts: Buffer[] = [];
  #heldBytes = 0;
  #neededBytes = ENVELOPE_HEADER_BYTES;
  #isEnded = false;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    let bytes = chunk;
    if (this.#heldBytes > 0) {
      this.#parts.push(chunk);
      this.#heldBytes += chunk.length;
      if (this.#heldBytes < this.#neededBytes) return;
      bytes = Buffer.concat(this.#parts, this.#heldBytes);
      this.#parts = [];
      this.#heldBytes = 0;
    }
    const consumed = this.#readFrames(bytes);
    if (consumed === bytes.length) return;
    // A copy, because a small rest must not keep its whole chunk in memory.
    const rest = Buffer.from(consumed === 0 ? bytes : bytes.subarray(consumed));
    this.#parts = [rest];
    this.#heldBytes = rest.length;
  }

  #readFrames(bytes: Buffer): number {
    let offset = 0;
    this.#neededBytes = ENVELOPE_HEADER_BYTES;
    while (bytes.length - offset >= ENVELOPE_HEADER_BYTES) {
      const length = bytes.readUInt32BE(offset + 1);
      if (length > MAX_FRAME_BYTES) throw brokenFrame(`announces ${length} bytes`);
      const start = offset + ENVELOPE_HEADER_BYTES;
      const end = start + length;
      if (end > bytes.length) {
        this.#neededBytes = end - offset;
        break;
      }
      this.#readFrame(bytes[offset] ?? 0, bytes, start, end);
      offset = end;
    }
    return offset;
  }

  #readFrame(flags: number, bytes: Buffer, start: number, end: number): void {
    if (this.#isEnded) throw brokenFrame("comes after the end of the stream");
    if ((flags & ~(FLAG_GZIP | FLAG_END)) !== 0) throw brokenFrame(`has unknown flags ${flags}`);
    const isGzip = (flags & FLAG_GZIP) !== 0;
    const payload = isGzip ? inflate(bytes.subarray(start, end)) : bytes;
    const from = isGzip ? 0 : start;
    const to = isGzip ? payload.length : end;
    if ((flags & FLAG_END) === 0) {
      this.#sink.message(payload, from, to);
    } else {
      this.#isEnded = true;
      this.#sink.end(payload.toString("utf8", from, to));
    }
  }
}

/** Synchronous, because a tiny frame costs 4 us this way and 164 us through the thread pool. */
function inflate(payload: Buffer): Buffer {
  if (payload.length === 0) return payload;
  try {
    return gunzipSync(payload, { maxOutputLength: MAX_FRAME_BYTES, finishFlush: constants.Z_FINISH });
  } catch (cause) {
    throw brokenFrame("does not inflate", cause);
  }
}

function brokenFrame(what: string, cause?: unknown): GatewayError {
  return new GatewayError("upstream_error", `Cursor's stream is damaged: a frame ${what}. Try again.`, {
    cause,
    isRetryable: true,
  });
}
