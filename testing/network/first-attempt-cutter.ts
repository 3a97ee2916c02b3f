import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface FirstAttemptCutter {
  readonly url: string;
  /** Responses that were broken off. */
  readonly cuts: number;
  close(): Promise<void>;
}

/**
 * A proxy in front of a gateway that breaks the first attempt of every request off, as a bad network does: the client gets the
 * first `cutAt()` bytes of the response, counted from its status line, and both connections close. A request that is equal to
 * one before it passes, so words that are said twice count as a second attempt.
 */
export async function startFirstAttemptCutter(origin: string, cutAt: () => number): Promise<FirstAttemptCutter> {
  const { hostname, port, host } = new URL(origin);
  const sockets = new Set<Socket>();
  const attempted = new Set<string>();
  let cuts = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  };
  const server = createServer(async (request) => {
    const near = request.socket;
    const body = await readWhole(request);
    if (body === undefined) return;
    const key = `${request.method} ${request.url} ${body}`;
    let left = attempted.has(key) ? Number.POSITIVE_INFINITY : cutAt();
    attempted.add(key);
    const far = connect({ host: hostname, port: Number(port) });
    keep(far);
    far.write(`${headOf(request, host, body.byteLength)}\r\n\r\n`);
    far.write(body);
    near.once("close", () => far.destroy());
    far.on("data", (chunk: Buffer) => {
      if (left < 0) return;
      if (chunk.byteLength <= left) {
        left -= chunk.byteLength;
        near.write(chunk);
        return;
      }
      near.write(chunk.subarray(0, left), () => near.destroy()); // which destroys the other side as well
      left = -1;
      cuts += 1;
    });
    far.once("end", () => left >= 0 && near.end());
  });
  server.on("connection", keep);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cuts() {
      return cuts;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** The body, unless the client leaves before its end. */
async function readWhole(request: IncomingMessage): Promise<Buffer | undefined> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

/** The head as the client wrote it, for a connection of its own: the end of the response is the end of the connection. */
function headOf({ method, url, rawHeaders }: IncomingMessage, host: string, length: number): string {
  const lines = [`${method} ${url} HTTP/1.1`, `host: ${host}`, "connection: close", `content-length: ${length}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (/^(host|connection|keep-alive|content-length|transfer-encoding)$/i.test(name)) continue;
    lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return lines.join("\r\n");
}
