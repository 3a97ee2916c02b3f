import { dirname, join } from "node:path";
import { isApproved, readJsonObject, type Workspace } from "../workspace.js";

/** An MCP server as in `mcp.json`; approval keys hash the whole entry. */
export interface McpServer {
  readonly name: string;
  readonly config: ServerConfig;
}

export interface ServerConfig {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly [more: string]: unknown;
}

/**
 * The servers of `.cursor/mcp.json` in the workspace and in the folders above it; the nearest wins. The file in the home folder
 * is not read: it belongs to the real CLI, and a simulator must not start the servers in it.
 */
export function projectServers({ path }: Workspace): McpServer[] {
  const servers = new Map<string, McpServer>();
  for (let folder = path, above = dirname(path); ; folder = above, above = dirname(folder)) {
    const { mcpServers } = readJsonObject(join(folder, ".cursor", "mcp.json"));
    for (const [name, config] of Object.entries(mcpServers ?? {})) {
      if (!servers.has(name)) servers.set(name, { name, config: config as ServerConfig });
    }
    if (above === folder) return [...servers.values()];
  }
}

/** The servers that may be started. Over ACP only the approval file decides. */
export function approvedServers(
  servers: readonly McpServer[],
  workspace: Workspace,
  isGated: boolean,
): readonly McpServer[] {
  return isGated ? servers.filter(({ name, config }) => isApproved(workspace, name, config)) : servers;
}
