import type { Handler } from "hono";
import type { RouteDeps } from "../http/route-deps.js";
import type { ServerEnv } from "../http/server-env.js";

interface ControlDeps extends Pick<RouteDeps, "gateway"> {
  readonly newPageLink: () => string;
}

/** The routes for commands of the owner, by their addresses. All are posted to, and none is described to clients. */
export function controlRoutes({ gateway, newPageLink }: ControlDeps): ReadonlyMap<string, Handler<ServerEnv>> {
  return new Map<string, Handler<ServerEnv>>([
    ["/curlew/stop", ({ req }) => Response.json(gateway.stop(req.query("conversation")))],
    ["/curlew/page-link", () => Response.json({ url: newPageLink() })],
  ]);
}
