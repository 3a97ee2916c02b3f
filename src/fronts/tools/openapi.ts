import { z } from "zod";
import { type DescribedRoute, openAiError } from "../openapi/index.js";

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

export const describedRoutes: readonly DescribedRoute[] = [
  {
    method: "get",
    path: "/v1/tools",
    operationId: "listTools",
    summary: "Lists the MCP tools that the gateway runs itself.",
    replies: [{ name: "ToolList", schema: ToolList }],
    errors: [openAiError],
  },
];
