import type { IncomingMessage, ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { GatewayError } from "../../turn/error.js";
import type { Serve } from "../http/router.js";
import { ClientSocket, type ClientSocketDeps } from "./client-socket.js";
import { ConnectionStores } from "./connection-store.js";

export function serveSockets<Request>(server: ClientSocketDeps<Request>): Serve {
  const { deps } = server;
  const stores = new ConnectionStores();
  return async ({ incoming, outgoing, record }) => {
    const account = deps.accountOf?.(incoming.headers);
    await upgrade(incoming, outgoing, deps.bodyLimitBytes, (webSocket) => {
      record.status = 101;
      return new ClientSocket(webSocket, { incoming, account, kept: stores.open() }, server).serve();
    });
    return undefined;
  };
}

/** Calls `serve` at once, because data that arrived with the handshake is emitted in the next tick. */
function upgrade(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  maxPayload: number,
  serve: (webSocket: WebSocket) => Promise<void>,
): Promise<void> {
  const { socket } = incoming;
  const server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload });
  outgoing.detachSocket(socket);
  return new Promise((resolve, reject) => {
    server.on("headers", (headers) => headers.push(`x-request-id: ${String(outgoing.getHeader("x-request-id"))}`));
    server.on("wsClientError", (cause) => {
      outgoing.assignSocket(socket);
      reject(new GatewayError("invalid_request", "The WebSocket handshake is invalid.", { cause }));
    });
    server.handleUpgrade(incoming, socket, Buffer.alloc(0), (webSocket) => resolve(serve(webSocket)));
  });
}
