import { once } from "node:events";
import { type ClientRequest, request as http1Request, type IncomingMessage } from "node:http";
import { connect } from "node:http2";
import { type Envelope, EnvelopeReader } from "../../packages/simulator/server/envelope.js";

/** One open call, on either HTTP version. */
export interface OpenCall {
  write(frame: Buffer): void;
  end(): void;
  status(): Promise<number>;
  frames(): AsyncGenerator<Envelope>;
  closed(): Promise<unknown>;
  abandon(): void;
}

async function* framesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Envelope> {
  const reader = new EnvelopeReader();
  for await (const chunk of chunks) yield* reader.push(chunk);
}

/** A chat call over this HTTP version, by a client that need not send a checksum. */
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
