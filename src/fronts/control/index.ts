import type { Handler } from "hono";
import type { RouteDeps } from "../http/route-deps.js";
import type { ServerEnv } from "../http/server-env.js";

interface ControlDeps extends Pick<RouteDeps, "gateway"> {
  /** A new address that opens the page once, on this machine. */
  readonly newPageLink: () => string;
}

/** The routes for commands of the owner, by their addresses. All are posted to, and none is described to clients. */
export function controlRoutes({ gateway, newPageLink }: ControlDeps): ReadonlyMap<string, Handler<ServerEnv>> {
  return new Map([
    ["/curlew/stop-all", () => Response.json(gateway.stopAll())],
    ["/curlew/page-link", () => Response.json({ url: newPageLink() })],
  ]);
}
