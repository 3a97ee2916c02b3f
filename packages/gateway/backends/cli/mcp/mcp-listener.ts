import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server as HttpServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import type { ToolDefinition } from "../../../turn/turn.js";
import type { ParkedCalls } from "./parked-calls.js";

/** Call arguments may contain whole files. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

export interface McpAddress {
  readonly url: string;
  readonly authorization: string;
  close(): void;
}

type Handler = ReturnType<typeof toNodeHandler>;

/** One loopback socket for the MCP servers of all sessions. Each server has a path and a token that only its session knows. */
export class McpListener {
  readonly #served = new Map<string, { authorization: Buffer; handle: Handler }>();
  #listening: Promise<HttpServer> | undefined;

  async serve(makeServer: () => Server): Promise<McpAddress> {
    this.#listening ??= this.#listen();
    const { port } = (await this.#listening).address() as AddressInfo;
    const path = `/mcp/${randomBytes(16).toString("base64url")}`;
    const authorization = `Bearer ${randomBytes(32).toString("base64url")}`;
    const handler = createMcpHandler(makeServer, { maxRequestBodySize: MAX_BODY_BYTES });
    const handle = toNodeHandler(handler, { maxRequestBodySize: MAX_BODY_BYTES });
    this.#served.set(path, { authorization: Buffer.from(authorization), handle });
    const close = () => {
      this.#served.delete(path);
      void handler.close();
    };
    return { url: `http://127.0.0.1:${port}${path}`, authorization, close };
  }

  async close(): Promise<void> {
    this.#served.clear();
    const server = await this.#listening?.catch(() => undefined);
    server?.close();
    server?.closeAllConnections();
  }

  async #listen(): Promise<HttpServer> {
    const server = createServer((request, response) => {
      const found = this.#admit(request);
      if (typeof found === "number") response.writeHead(found, { connection: "close" }).end();
      // The library declares its optional fields more narrowly than Node does.
      else void found(request as Parameters<Handler>[0], response);
    });
    server.listen(0, "127.0.0.1").unref();
    await once(server, "listening");
    return server;
  }

  #admit({ headers, socket, url = "" }: IncomingMessage): Handler | number {
    // Refuses web pages, even through DNS rebinding.
    if (headers.host !== `127.0.0.1:${socket.localPort}` || headers.origin !== undefined) return 403;
    const served = this.#served.get(url);
    if (served === undefined) return 404;
    const shown = Buffer.from(headers.authorization ?? "");
    const { authorization, handle } = served;
    return shown.length === authorization.length && timingSafeEqual(shown, authorization) ? handle : 401;
  }
}

/** The client's tools as an MCP server. Each HTTP request gets its own server; the parked calls outlive it. */
export function createToolServer(tools: readonly ToolDefinition[], calls: ParkedCalls): Server {
  const server = new Server({ name: "curlew", version: "1" }, { capabilities: { tools: {} } });
  const description = "Waits for a tool that said it is still running, and gives its result.";
  const properties = { id: { type: "string", description: "The id that the running tool named." } };
  const waiting = { name: calls.waitTool, description, inputSchema: { properties, required: ["id"] } };
  const listed = [...tools, waiting].map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" as const },
  }));
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
