import { once } from "node:events";
import { type ClientRequest, request as http1Request, type IncomingMessage } from "node:http";
import { connect } from "node:http2";
import { gunzipSync, gzipSync } from "node:zlib";

export interface Frame {
  flags: number;
  payload: Buffer;
}

/** One open call, on either HTTP version. */
export interface OpenCall {
  write(frame: Buffer): void;
  end(): void;
  status(): Promise<number>;
  frames(): AsyncGenerator<Frame>;
  closed(): Promise<unknown>;
  abandon(): void;
}

export function frame(payload: Uint8Array, isCompressed = false): Buffer {
  const body = isCompressed ? gzipSync(payload) : payload;
  const head = Buffer.alloc(5);
  head.writeUInt8(isCompressed ? 1 : 0);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

async function* framesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let held = Buffer.alloc(0);
  for await (const chunk of chunks) {
    held = Buffer.concat([held, chunk]);
    while (held.length >= 5 && held.length >= 5 + held.readUInt32BE(1)) {
      const end = 5 + held.readUInt32BE(1);
      const flags = held.readUInt8(0);
      const payload = held.subarray(5, end);
      yield { flags, payload: (flags & 1) === 0 ? payload : gunzipSync(payload) };
      held = held.subarray(end);
    }
  }
}

/** A chat call over that HTTP version, of a client that need not send a checksum. */
export function openCall(
  httpVersion: "1.1" | "2",
  url: string,
  token: string,
  more: Record<string, string> = {},
): OpenCall {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/connect+proto",
    "x-cursor-client-type": "cli",
    ...more,
  };
  if (httpVersion === "2") {
    const session = connect(new URL(url).origin);
    const stream = session.request({ ":method": "POST", ":path": new URL(url).pathname, ...headers });
    stream.on("error", () => {});
    const status = once(stream, "response").then(([fields]) => fields[":status"]);
    const abandon = () => session.destroy();
    return {
      write: (bytes) => stream.write(bytes),
      end: () => stream.end(),
      status: () => status,
      frames: () => framesOf(stream),
      closed: () => once(stream, "close"),
      abandon,
    };
  }
  const request: ClientRequest = http1Request(url, { method: "POST", headers });
  request.on("error", () => {});
  const response: Promise<IncomingMessage> = once(request, "response").then(([message]) => message);
  return {
    write: (bytes) => request.write(bytes),
    end: () => request.end(),
    status: async () => (await response).statusCode ?? 0,
    frames: async function* () {
      yield* framesOf(await response);
    },
    closed: () => once(request, "close"),
    abandon: () => request.destroy(),
  };
}
