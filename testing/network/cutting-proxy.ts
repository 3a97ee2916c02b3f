import { connect, createServer } from "node:net";
import { type LocalServer, listenLocally } from "./local-server.js";

export interface CuttingProxy extends LocalServer {
  readonly cuts: number;
  /** How many bytes of answers the last connection that ended has carried. */
  readonly lastBytes: number;
  /** Cuts the next connection, and only that, after this many bytes of answers. */
  cutNextAt(bytes: number | undefined): void;
}

/**
 * A reverse proxy whose connections can be cut: both ends then see a reset. It adds `x-forwarded-for`, as such proxies do. Each
 * connection carries one request.
 */
export async function startCuttingProxy(origin: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(origin);
  let cutAt: number | undefined;
  let cuts = 0;
  let lastBytes = 0;
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: hostname, port: Number(port), noDelay: true });
    far.on("error", () => {});
    const limit = cutAt;
    cutAt = undefined;
    let carried = 0;
    let request = "";
    let isAnnounced = false;
    near.on("data", (chunk: Buffer) => {
      if (isAnnounced) return void far.write(chunk);
      request += chunk.toString("latin1");
      if (!request.includes("\r\n\r\n")) return;
      isAnnounced = true;
      const head = request.replace("\r\n", "\r\nx-forwarded-for: 192.0.2.7\r\n");
      far.write(head.replace(/\r\nconnection: keep-alive/i, "\r\nconnection: close"), "latin1");
    });
    far.on("data", (chunk: Buffer) => {
      const room = limit === undefined ? chunk.length : limit - carried;
      carried += chunk.length;
      if (room >= chunk.length) return void near.write(chunk);
      cuts++;
      // Everything before the cut is written first: a reset would overtake it.
      far.resetAndDestroy();
      near.write(chunk.subarray(0, room), () => near.destroy());
    });
    far.on("end", () => near.end());
    far.on("close", () => {
      lastBytes = carried;
    });
    near.on("close", () => far.destroy());
  });
  return {
    ...(await listenLocally(server)),
    get cuts() {
      return cuts;
    },
    get lastBytes() {
      return lastBytes;
    },
    cutNextAt(bytes) {
      cutAt = bytes;
    },
  };
}
