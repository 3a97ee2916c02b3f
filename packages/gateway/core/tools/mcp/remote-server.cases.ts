import type { RequestListener } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

/** An MCP server whose tools all answer with the same text. */
export function remoteMcpServer(...tools: readonly string[]): Server {
  const server = new Server({ name: "remote", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({
    tools: tools.map((name) => ({ name, inputSchema: { type: "object" as const } })),
  }));
  server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "over there" }] }));
  return server;
}

export function serveMcp(makeServer: () => Server): RequestListener {
  const handle = toNodeHandler(createMcpHandler(makeServer));
  return (request, response) => void handle(request as Parameters<typeof handle>[0], response);
}
