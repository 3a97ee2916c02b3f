import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A client that sends and reads plain bytes, for tests that look at them. */
export class RawClient {
  readonly socket: Socket;
  /** Resolves when the connection has closed, whichever side closed it. */
  readonly closed: Promise<void>;
  received = "";

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      this.received += text;
    });
    socket.on("error", () => {}); // `closed` reports a reset
  }

  static async connect(port: number): Promise<RawClient> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.setNoDelay(true);
    return new RawClient(socket);
  }

  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** Resolves when the received text contains the given text this many times. */
  async until(text: string, times = 1): Promise<string> {
    while (this.received.split(text).length <= times) {
      await Promise.race([
        once(this.socket, "data"),
        this.closed.then(() => {
          if (this.received.split(text).length <= times) throw new Error(`closed before ${JSON.stringify(text)}`);
        }),
      ]);
    }
    return this.received;
  }
}

/** The bytes of a POST request with a JSON body. */
export function jsonPost(path: string, body: unknown, { version = "1.1", headers = "" } = {}): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return [
    `POST ${path} HTTP/${version}`,
    "host: 127.0.0.1",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(text)}`,
    ...(headers === "" ? [] : [headers]),
    "",
    text,
  ].join("\r\n");
}

/** One chunked answer, parsed strictly: its head, the chunks, and what came after it, all in latin1. */
export function readChunked(raw: string): { head: string; chunks: string[]; rest: string } {
  const bodyAt = raw.indexOf("\r\n\r\n") + 4;
  const head = raw.slice(0, bodyAt);
  if (!/\r\ntransfer-encoding: chunked\r\n/i.test(head)) throw new Error("the answer is not in chunks");
  const chunks: string[] = [];
  for (let at = bodyAt; ; ) {
    const lineEnd = raw.indexOf("\r\n", at);
    const size = raw.slice(at, lineEnd);
    if (lineEnd < 0 || !/^[0-9a-f]+$/.test(size))
      throw new Error(`not a chunk size: ${JSON.stringify(size.slice(0, 20))}`);
    const length = Number.parseInt(size, 16);
    const end = lineEnd + 2 + length;
    if (raw.slice(end, end + 2) !== "\r\n") throw new Error("a chunk does not end where it says");
    if (length === 0) return { head, chunks, rest: raw.slice(end + 2) };
    chunks.push(raw.slice(lineEnd + 2, end));
    at = end + 2;
  }
}
