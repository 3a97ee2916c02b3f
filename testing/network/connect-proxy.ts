import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

export interface ConnectProxy {
  readonly url: string;
  /** The requests for tunnels, with their credentials. */
  readonly asked: readonly { readonly authority: string; readonly authorization: string | undefined }[];
  /** The real end of every tunnel, whatever name was asked for. */
  leadTo(url: string): void;
  /** The status of every answer, instead of a tunnel. */
  refuse(status: number): void;
  close(): Promise<void>;
}

/** A proxy that supports only CONNECT. */
export async function startConnectProxy(): Promise<ConnectProxy> {
  const asked: { authority: string; authorization: string | undefined }[] = [];
  const sockets = new Set<Socket>();
  let target = new URL("http://127.0.0.1:9");
  let status = 200;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  };
  const server = createServer((_, response) => void response.writeHead(405).end()).on("connection", keep);
  server.on("connect", (request, near: Socket) => {
    asked.push({ authority: request.url ?? "", authorization: request.headers["proxy-authorization"] });
    if (status !== 200) return void near.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const far = connect(Number(target.port), "127.0.0.1", () => {
      near.write("HTTP/1.1 200 Connection established\r\n\r\n");
      near.pipe(far).pipe(near);
    });
    keep(far);
    near.once("close", () => far.destroy());
    far.once("close", () => near.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    leadTo(url) {
      target = new URL(url);
    },
    refuse(code) {
      status = code;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
