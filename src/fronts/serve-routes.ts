import type { Hono } from "hono";
import { addressesOf, type Endpoint, type RouteGroup } from "./dialect.js";
import type { ServerEnv } from "./http/request-record.js";
import { serveFront } from "./http/route.js";
import { serveEndpoint } from "./http/serve-endpoint.js";
import { refuseMethod } from "./http/unserved-routes.js";
import type { ClientSocketDeps } from "./websocket/client-socket.js";
import { takeSockets } from "./websocket/socket-route.js";

export function serveRoutes(
  app: Hono<ServerEnv>,
  { fronts, endpoints }: RouteGroup,
  server: Omit<ClientSocketDeps<unknown>, "front">,
): void {
  const { deps } = server;
  for (const front of fronts) {
    const sockets = "readMessage" in front ? takeSockets({ ...server, front }) : undefined;
    for (const path of addressesOf(front.path)) {
      if (sockets !== undefined) app.use(path, sockets);
      app.post(path, serveFront(front, deps));
      app.all(path, refuseMethod("POST"));
    }
  }
  for (const path of new Set(endpoints.map((each) => each.path))) {
    const here = endpoints.filter((each) => each.path === path);
    for (const address of addressesOf(path)) {
      for (const endpoint of here) app.on(endpoint.method, address, serveEndpoint(endpoint, deps));
      app.all(address, refuseMethod(here.map(methodsOf).join(", ")));
    }
  }
}

function methodsOf({ method }: Endpoint): string {
  return method === "GET" ? "GET, HEAD" : method;
}
