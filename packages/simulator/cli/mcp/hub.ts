import { create, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { McpToolDefinitionSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import type { Client } from "@modelcontextprotocol/client";
import type { Tool } from "../../model/tools.js";
import type { McpServer } from "./servers.js";

/** The connected MCP servers of one conversation. */
export interface McpHub {
  /** The tools as the simulated model sees them. */
  readonly tools: readonly Tool[];
  call(tool: Tool, args: JsonObject, signal: AbortSignal): Promise<McpAnswer>;
  close(): Promise<void>;
}

export interface McpAnswer {
  /** The whole text of the result. */
  readonly text: string;
  readonly isError: boolean;
}

const emptyHub: McpHub = {
  tools: [],
  call: () => Promise.reject(new Error("No MCP server is connected.")),
  close: () => Promise.resolve(),
};

/** Connects to servers. Those that cannot be reached are left out and reported to `onFailure`. */
export async function connectServers(
  servers: readonly McpServer[],
  timeoutMs: number,
  onFailure: (name: string, cause: unknown) => void,
): Promise<McpHub> {
  if (servers.length === 0) return emptyHub;
  const clients = new Map<string, Client>();
  const connected = await Promise.all(
    servers.map(async (server) => {
      try {
        const client = await connect(server);
        clients.set(server.name, client);
        const { tools } = await client.listTools();
        return tools.map(({ name, description, inputSchema }) => toTool(server.name, name, description, inputSchema));
      } catch (cause) {
        onFailure(server.name, cause);
        return [];
      }
    }),
  );
  return {
    tools: connected.flat(),
    async call({ name, definition }, args, signal) {
      const client = clients.get(definition.providerIdentifier);
      if (client === undefined) return { text: `MCP server ${definition.providerIdentifier} is gone`, isError: true };
      try {
        const { content, isError } = await client.callTool({ name, arguments: args }, { timeout: timeoutMs, signal });
        const texts = content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`));
        return { text: texts.join("\n"), isError: isError === true };
      } catch (cause) {
        // The model reads a time-out like any other failure of the tool.
        return { text: cause instanceof Error ? cause.message : String(cause), isError: true };
      }
    },
    async close() {
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}

async function connect({ config }: McpServer): Promise<Client> {
  // Loaded late: most runs of the command have no MCP server, and the library is large.
  const mcp = await import("@modelcontextprotocol/client");
  const client = new mcp.Client({ name: "Cursor", version: "1.0.0" });
  if (config.url !== undefined) {
    const requestInit = { headers: { ...config.headers } };
    await client.connect(new mcp.StreamableHTTPClientTransport(new URL(config.url), { requestInit }));
    return client;
  }
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const { command = "", args = [], env = {} } = config;
  await client.connect(new StdioClientTransport({ command, args: [...args], env: { ...env } }));
  return client;
}

function toTool(server: string, name: string, description = "", schema: unknown): Tool {
  const definition = create(McpToolDefinitionSchema, {
    name: `${server}-${name}`,
    toolName: name,
    providerIdentifier: server,
    description,
    inputSchemaJson: JSON.stringify(schema),
  });
  return { name, definition, description: definition.description, schema: schema as JsonValue };
}
