import type { IncomingMessage, ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { MiddlewareHandler } from "hono";
import { type WebSocket, WebSocketServer } from "ws";
import { GatewayError } from "../../turn/error.js";
import type { ServerEnv } from "../http/server-env.js";
import { ClientSocket, type ClientSocketDeps } from "./client-socket.js";
import { ConnectionStores } from "./connection-store.js";

/** Accepts WebSockets at the address of a front; every other request goes on to the other routes. */
export function takeSockets<Request>(server: ClientSocketDeps<Request>): MiddlewareHandler<ServerEnv> {
  const { deps } = server;
  const stores = new ConnectionStores();
  return async (c, next) => {
    const { incoming, outgoing } = c.env;
    if (!isWebSocket(incoming)) return next();
    const account = deps.accountOf?.(incoming.headers);
    await upgrade(incoming, outgoing, deps.bodyLimitBytes, (webSocket) => {
      c.var.record.status = 101;
      return new ClientSocket(webSocket, { incoming, account, kept: stores.open() }, server).serve();
    });
    return RESPONSE_ALREADY_SENT;
  };
}

function isWebSocket(incoming: IncomingMessage): boolean {
  // Node marks a request whose connection it has handed over.
  return incoming.headers.upgrade?.toLowerCase() === "websocket" && Reflect.get(incoming, "upgrade") === true;
}

/** `serve` begins at once, because what came in one piece with the opening is heard in the next tick. */
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
      reject(new GatewayError("invalid_request", "This is not how a WebSocket is opened.", { cause }));
    });
    server.handleUpgrade(incoming, socket, Buffer.alloc(0), (webSocket) => resolve(serve(webSocket)));
  });
}
