import { Server } from "@modelcontextprotocol/server";
import type { ToolDefinition } from "../../../turn/turn.js";
import type { ParkedCalls } from "./parked-calls.js";

interface ToolServerDeps {
  readonly tools: readonly ToolDefinition[];
  readonly calls: ParkedCalls;
  readonly waitTool: string;
  readonly onListed: () => void;
}

/** The client's tools as an MCP server. One is made for each HTTP request; what lasts is in the parked calls. */
export function createToolServer({ tools, calls, waitTool, onListed }: ToolServerDeps): Server {
  const server = new Server({ name: "curlew", version: "1" }, { capabilities: { tools: {} } });
  const listed = [...tools.map(describeTool), describeWait(waitTool)];
  server.setRequestHandler("tools/list", () => {
    onListed();
    return { tools: listed };
  });
  server.setRequestHandler("tools/call", ({ params }, { mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {};
    const onProgress = (progress: number) => {
      const told = { progressToken: progressToken ?? "", progress, message: "still running" };
      mcpReq.notify({ method: "notifications/progress", params: told }).catch(() => {}); // the reader has gone
    };
    return calls.ask({
      requestId: mcpReq.id,
      name: params.name,
      input: params.arguments ?? {},
      ...(progressToken !== undefined && { onProgress }),
    });
  });
  // It comes by another HTTP request, so the library cannot know which call is meant.
  server.setNotificationHandler("notifications/cancelled", ({ params }) => {
    if (params.requestId !== undefined) calls.cancel(params.requestId);
  });
  return server;
}

/** A name for the tool to wait by that the client does not use itself. */
export function waitToolName(tools: readonly ToolDefinition[]): string {
  let name = "curlew_wait";
  while (tools.some((tool) => tool.name === name)) name += "_";
  return name;
}

function describeTool({ name, description, inputSchema }: ToolDefinition) {
  return { name, description, inputSchema: { ...inputSchema, type: "object" as const } };
}

function describeWait(name: string) {
  const description = "Waits for a tool that said it is still running, and gives its result.";
  const properties = { id: { type: "string", description: "The id that the running tool named." } };
  return { name, description, inputSchema: { type: "object" as const, properties, required: ["id"] } };
}
