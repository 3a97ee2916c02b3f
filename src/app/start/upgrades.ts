import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Sends WebSockets through the same routes and guards as all other requests. Once there is a listener for upgrades, Node passes
 * it every request that offers one, whatever the upgrade is. Some clients (Java's) offer HTTP/2 with each request: those
 * requests are read again without the offer.
 */
export function takeUpgrades(server: Server, handle: RequestListener): void {
  server.on("upgrade", (request: IncomingMessage, _, head: Buffer) => {
    const { socket } = request;
    if (request.headers.upgrade?.toLowerCase() !== "websocket") {
      socket.unshift(Buffer.concat([Buffer.from(withoutUpgrade(request), "latin1"), head]));
      server.emit("connection", socket);
      return;
    }
    socket.unshift(head);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => closeAfter(response, socket)); // the upgrade was refused
    handle(request, response);
  });
}

function closeAfter(response: ServerResponse, socket: Socket): void {
  response.detachSocket(socket);
  socket.destroySoon();
}

function withoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (!/^(?:upgrade|http2-settings|connection)$/i.test(name)) lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}
