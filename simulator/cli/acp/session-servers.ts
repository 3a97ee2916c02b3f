import type { McpServer, ServerConfig } from "../mcp/servers.js";
import { objectsOf, type Params, textOf } from "./peer.js";

/** The servers of `session/new` in the form that approval keys are made of. */
export function readServers(params: Params): McpServer[] {
  return objectsOf(params, "mcpServers").map((server) => ({ name: textOf(server, "name"), config: toConfig(server) }));
}

function toConfig(server: Params): ServerConfig {
  if (typeof server.url === "string") {
    const headers = toObject(objectsOf(server, "headers"));
    return { url: server.url, ...(Object.keys(headers).length > 0 ? { headers } : {}) };
  }
  const args = Array.isArray(server.args) ? server.args.map(String) : [];
  return { command: textOf(server, "command"), args, env: toObject(objectsOf(server, "env")) };
}

function toObject(pairs: readonly Params[]): Record<string, string> {
  return Object.fromEntries(pairs.map((pair) => [textOf(pair, "name"), textOf(pair, "value")]));
}
