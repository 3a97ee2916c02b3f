import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";

/** It divides no usual size: pieces end in frame heads and in the middle of characters alike. */
const PIECE_BYTES = 7;

/** Relays a server's bytes in tiny pieces. */
export async function startByteCutter(origin: string): Promise<{ url: string; close(): Promise<void> }> {
  const { hostname, port } = new URL(origin);
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => {});
    }
    client.on("close", () => upstream.destroy()); // in the other direction, pieces may still be under way
    client.pipe(upstream);
    void sendOn(upstream, client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

async function sendOn(from: Socket, to: Socket): Promise<void> {
  try {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        to.write(chunk.subarray(at, at + PIECE_BYTES));
        await turnOfTheLoop(); // otherwise the pieces would travel together
      }
    }
    to.end();
  } catch {
    to.destroy();
  }
}
