import { Server } from "@modelcontextprotocol/server";
import type { ToolDefinition } from "../../../turn/turn.js";
import type { ParkedCalls } from "./parked-calls.js";

/** The client's tools as an MCP server. Each HTTP request gets its own server; the parked calls outlive it. */
export function createToolServer(tools: readonly ToolDefinition[], calls: ParkedCalls): Server {
  const server = new Server({ name: "curlew", version: "1" }, { capabilities: { tools: {} } });
  const listed = [...tools.map(describeTool), describeWait(calls.waitTool)];
  server.setRequestHandler("tools/list", () => {
    calls.areToolsListed = true;
    return { tools: listed };
  });
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {};
    const onProgress = (progress: number) => {
      const params = { progressToken: progressToken ?? "", progress, message: "still running" };
      mcpReq.notify({ method: "notifications/progress", params }).catch(() => {}); // the reader has gone
    };
    return calls.ask({
      requestId: mcpReq.id,
      name: params.name,
      input: params.arguments ?? {},
      ...(progressToken !== undefined && { onProgress }),
    });
  });
  // The cancellation comes in another HTTP request, so the library cannot match it to the call.
  server.setNotificationHandler("notifications/cancelled", ({ params }) => {
    if (params.requestId !== undefined) calls.cancel(params.requestId);
  });
  return server;
}

function describeTool({ name, description, inputSchema }: ToolDefinition) {
  return { name, description, inputSchema: { ...inputSchema, type: "object" as const } };
}

function describeWait(name: string) {
  const description = "Waits for a tool that said it is still running, and gives its result.";
  const properties = { id: { type: "string", description: "The id that the running tool named." } };
  return { name, description, inputSchema: { type: "object" as const, properties, required: ["id"] } };
}
