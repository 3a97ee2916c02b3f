import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { listenLocally } from "../network/local-server.js";

interface Request {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: unknown; readonly protocolVersion?: string };
}

/** An MCP server over streamable HTTP that records what it was sent. It uses no library, so that tests can see every byte. */
export interface RecordingServer {
  readonly url: string;
  readonly requests: Request[];
  readonly headers: IncomingMessage["headers"][];
}

const tools = [
  {
    name: "echo",
    description: "Says it again",
    inputSchema: { type: "object", properties: { say: { type: "string" } } },
  },
  { name: "slow", description: "Takes its time", inputSchema: { type: "object" } },
];

/** `answer` returns the text of a call's result. */
export async function startRecordingServer(
  answer: (name: string, args: unknown) => Promise<string>,
): Promise<RecordingServer> {
  const requests: Request[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const server = createServer(async (incoming, response) => {
    if (incoming.method !== "POST") return response.writeHead(405).end();
    const request = JSON.parse(await text(incoming)) as Request;
    requests.push(request);
    headers.push(incoming.headers);
    if (request.id === undefined) return response.writeHead(202).end();
    const result = await resultOf(request);
    return response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id: request.id, result }));
  });
  const resultOf = async ({ method, params }: Request): Promise<object> => {
    switch (method) {
      case "initialize":
        return {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "recording", version: "1" },
        };
      case "tools/list":
        return { tools };
      case "tools/call":
        return { content: [{ type: "text", text: await answer(params?.name ?? "", params?.arguments) }] };
      default:
        return {};
    }
  };
  const { url, close } = await listenLocally(server);
  onTestFinished(close);
  return { url: `${url}/mcp`, requests, headers };
}
