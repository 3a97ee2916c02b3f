import type { Handler } from "hono";
import type { RouteDeps } from "../http/route-deps.js";
import type { ServerEnv } from "../http/server-env.js";

/** The routes for commands of the owner, by their addresses. All are posted to, and none is described to clients. */
export function controlRoutes({ gateway }: Pick<RouteDeps, "gateway">): ReadonlyMap<string, Handler<ServerEnv>> {
  return new Map([["/curlew/stop-all", () => Response.json(gateway.stopAll())]]);
}
