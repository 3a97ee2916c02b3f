import type { Hono } from "hono";
import { addressesOf, type Endpoint, type RouteGroup } from "./dialect.js";
import { throughRouter } from "./http/posted-turns.js";
import { type ServeTurn, serveFront } from "./http/route.js";
import { serveEndpoint } from "./http/serve-endpoint.js";
import type { ServerEnv } from "./http/server-env.js";
import { refuseMethod } from "./http/unserved-routes.js";
import type { ClientSocketDeps } from "./websocket/client-socket.js";
import { takeSockets } from "./websocket/socket-route.js";

/** Adds the routes of a group to the router, and its posted turns also to those that have a short way. */
export function serveRoutes(
  { app, posted }: { readonly app: Hono<ServerEnv>; readonly posted: Map<string, ServeTurn> },
  { fronts, endpoints }: RouteGroup,
  server: Omit<ClientSocketDeps<unknown>, "front">,
): void {
  const { deps } = server;
  for (const front of fronts) {
    const sockets = "readMessage" in front ? takeSockets({ ...server, front }) : undefined;
    for (const path of addressesOf(front.path)) {
      if (sockets !== undefined) app.use(path, sockets);
      const serve = serveFront(front, deps);
      posted.set(path, serve);
      app.post(path, throughRouter(serve));
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
