import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { type LocalServer, listenLocally } from "./local-server.js";

export interface ConnectProxy extends LocalServer {
  /** The requests for tunnels, with their credentials. */
  readonly asked: readonly { readonly authority: string; readonly authorization: string | undefined }[];
  /** Sets the real target of every tunnel, whatever name is requested. */
  leadTo(url: string): void;
  /** Answers every request with this status instead of a tunnel. */
  refuse(status: number): void;
}

/** A proxy that supports only CONNECT. */
export async function startConnectProxy(): Promise<ConnectProxy> {
  const asked: { authority: string; authorization: string | undefined }[] = [];
  let target = new URL("http://127.0.0.1:9");
  let status = 200;
  const server = createServer((_, response) => void response.writeHead(405).end());
  server.on("connect", (request, near: Socket) => {
    asked.push({ authority: request.url ?? "", authorization: request.headers["proxy-authorization"] });
    if (status !== 200) return void near.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const far = connect(Number(target.port), "127.0.0.1", () => {
      near.write("HTTP/1.1 200 Connection established\r\n\r\n");
      near.pipe(far).pipe(near);
    });
    far.on("error", () => {});
    near.once("close", () => far.destroy());
    far.once("close", () => near.destroy());
  });
  return {
    ...(await listenLocally(server)),
    asked,
    leadTo(url) {
      target = new URL(url);
    },
    refuse(code) {
      status = code;
    },
  };
}
