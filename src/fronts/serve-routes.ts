import { addressesOf, type RouteGroup } from "./dialect.js";
import { serveFront } from "./http/route.js";
import type { Route } from "./http/router.js";
import { serveEndpoint } from "./http/serve-endpoint.js";
import type { ClientSocketDeps } from "./websocket/client-socket.js";
import { serveSockets } from "./websocket/socket-route.js";

/** The routes of a group, at all their addresses. */
export function routesOf(
  { fronts, endpoints }: RouteGroup,
  server: Omit<ClientSocketDeps<unknown>, "front">,
): readonly Route[] {
  const { deps } = server;
  const routes: Route[] = [];
  for (const front of fronts) {
    if ("readMessage" in front) {
      routes.push({ method: "WS", path: front.path, serve: serveSockets({ ...server, front }) });
    }
    routes.push({ method: "POST", path: front.path, serve: serveFront(front, deps) });
  }
  for (const endpoint of endpoints) {
    const { method, path } = endpoint;
    routes.push({ method, path, serve: serveEndpoint(endpoint, deps) });
  }
  return routes.flatMap((route) => addressesOf(route.path).map((path) => ({ ...route, path })));
}
