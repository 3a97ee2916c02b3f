import { z } from "zod";
import { jsonAnswer } from "../http/answer.js";
import type { RouteDeps } from "../http/route-deps.js";
import type { Serve } from "../http/router.js";
import { type DescribedRoute, OpenAiError } from "../openapi/index.js";

const ToolList = z.looseObject({
  object: z.literal("list"),
  data: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      server: z.string(),
      description: z.string(),
      inputSchema: z.looseObject({}),
    }),
  ),
  mcp: z.looseObject({ servers: z.int(), tools: z.int() }),
});

export const toolRoutes: readonly DescribedRoute[] = [
  {
    method: "get",
    path: "/v1/tools",
    operationId: "listTools",
    summary: "Lists the MCP tools that the gateway runs itself.",
    replies: { ToolList },
    errors: { OpenAiError },
  },
];

export function serveTools({ gateway, accountOf }: Pick<RouteDeps, "gateway" | "accountOf">): Serve {
  return async ({ incoming }) => {
    const { tools, servers } = await gateway.tools({ account: accountOf?.(incoming.headers) });
    const data = tools.map(({ id, name, server, description, inputSchema }) => ({
      id,
      name,
      server,
      description,
      inputSchema,
    }));
    const connected = servers.filter(({ isConnected }) => isConnected);
    return jsonAnswer({ object: "list", data, mcp: { servers: connected.length, tools: data.length } });
  };
}
