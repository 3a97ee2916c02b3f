import type { Parsed } from "../flags.js";
import { connectServers } from "../mcp/hub.js";
import { approvedServers, type McpServer, projectServers } from "../mcp/servers.js";
import { approve, openWorkspace } from "../workspace.js";
import { Refused, type World } from "../world.js";

/** `mcp list`, `mcp enable <id>`, `mcp list-tools <id>`, for the working folder. */
export async function mcp(world: World, { positionals: [action, id = ""] }: Parsed): Promise<void> {
  const workspace = openWorkspace(undefined, world);
  const servers = projectServers(workspace);
  switch (action) {
    case "list": {
      const approved = approvedServers(servers, workspace, world.scenario.mcpApprovals);
      const stateOf = (server: McpServer) => (approved.includes(server) ? "ready" : "not loaded (needs approval)");
      const lines = servers.map((server) => `${server.name}: ${stateOf(server)}\n`);
      return world.out(lines.join("") || "No MCP servers configured\n");
    }
    case "enable": {
      const { name, config } = find(servers, id);
      approve(workspace, name, config);
      return world.out(`✓ Enabled and approved MCP server: ${name}\n`);
    }
    case "list-tools": {
      const server = find(approvedServers(servers, workspace, world.scenario.mcpApprovals), id);
      const hub = await connectServers([server], world.scenario.mcpTimeoutMs, (name, cause) => {
        throw new Refused(`Failed to load MCP server ${name}: ${cause instanceof Error ? cause.message : cause}`);
      });
      world.out(
        `Tools for ${server.name} (${hub.tools.length}):\n${hub.tools.map(({ name }) => `- ${name}\n`).join("")}`,
      );
      return hub.close();
    }
    default:
      throw new Refused(`error: unknown command '${action ?? ""}'`);
  }
}

function find(servers: readonly McpServer[], id: string): McpServer {
  const server = servers.find(({ name }) => name === id);
  if (server === undefined) throw new Refused(`MCP server not found or not approved: ${id}`);
  return server;
}
