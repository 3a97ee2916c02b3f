import type { Handler } from "hono";
import type { RouteDeps } from "../http/route-deps.js";
import type { ServerEnv } from "../http/server-env.js";

/** `GET /v1/tools`: the tools that the gateway runs itself. */
export function serveTools({ gateway, accountOf }: Pick<RouteDeps, "gateway" | "accountOf">): Handler<ServerEnv> {
  return async (c) => {
    const { tools, servers } = await gateway.tools({ account: accountOf?.(c.env.incoming.headers) });
    const data = tools.map(({ id, name, server, description, inputSchema }) => ({
      id,
      name,
      server,
      description,
      inputSchema,
    }));
    const connected = servers.filter(({ isConnected }) => isConnected);
    return Response.json({ object: "list", data, mcp: { servers: connected.length, tools: data.length } });
  };
}

export { describedRoutes as toolRoutes } from "./openapi.js";
