import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

export interface LocalServer {
  readonly port: number;
  readonly url: string;
  /** Ends all its connections. */
  close(): Promise<void>;
}

/** Has a server listen on a free port of this machine. */
export async function listenLocally(server: Server): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A port on which nothing listens now. */
export async function freePort(): Promise<number> {
  const { port, close } = await listenLocally(createServer());
  await close();
  return port;
}
