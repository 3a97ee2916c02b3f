import { gunzipSync, gzipSync } from "node:zlib";

const HEADER_BYTES = 5;
const GZIP = 0x01;
const END = 0x02;
const MAX_FRAME_BYTES = 64 * 1_048_576;

/** The payloads of a Connect stream, decompressed, whatever the pieces in which they arrive. */
export async function* readFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let held = Buffer.alloc(0);
  for await (const chunk of chunks) {
    held = Buffer.concat([held, chunk]);
    while (held.length >= HEADER_BYTES) {
      const length = held.readUInt32BE(1);
      if (length > MAX_FRAME_BYTES) throw new Error(`a frame of ${length} bytes is too large`);
      if (held.length < HEADER_BYTES + length) break;
      const flags = held.readUInt8(0);
      const payload = held.subarray(HEADER_BYTES, HEADER_BYTES + length);
      held = held.subarray(HEADER_BYTES + length);
      if ((flags & END) === 0) yield (flags & GZIP) === 0 ? payload : gunzipSync(payload);
    }
  }
  if (held.length > 0) throw new Error("the stream ended in the middle of a frame");
}

export function messageFrame(payload: Uint8Array, isCompressed: boolean): Buffer {
  return isCompressed ? frame(GZIP, gzipSync(payload)) : frame(0, payload);
}

/** The last frame: JSON, and compressed (0x03) as Cursor sends it. */
export function endFrame(content: { error?: unknown }, isCompressed: boolean): Buffer {
  const payload = Buffer.from(JSON.stringify(content));
  return isCompressed ? frame(END | GZIP, gzipSync(payload)) : frame(END, payload);
}

function frame(flags: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + payload.length);
  bytes.writeUInt8(flags, 0);
  bytes.writeUInt32BE(payload.length, 1);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}
