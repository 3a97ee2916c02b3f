import { connect, createServer, type Socket } from "node:net";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { type LocalServer, listenLocally } from "./local-server.js";

/** Divides no usual size: pieces end both in frame heads and in the middle of characters. */
const PIECE_BYTES = 7;

/** Relays a server's bytes in tiny pieces. */
export function startByteCutter(origin: string): Promise<LocalServer> {
  const { hostname, port } = new URL(origin);
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    upstream.on("error", () => {});
    client.on("close", () => upstream.destroy()); // in the other direction, pieces may still be under way
    client.pipe(upstream);
    void sendOn(upstream, client);
  });
  return listenLocally(server);
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
