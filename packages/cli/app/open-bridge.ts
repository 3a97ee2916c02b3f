import { createMcpBridge, type McpBridge } from "@curlew/gateway/core/tools/mcp/index.js";
import { systemClock } from "@curlew/gateway/system/clock.js";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { type FoundServer, findMcpServers } from "../config/mcp-servers/find-servers.js";
import type { Settings } from "../config/settings.js";
import type { Log } from "../log/log.js";
import { version } from "./version.js";

type McpSettings = Pick<Settings, "mcp" | "machine">;
type McpLog = Pick<Log, "warn" | "debug">;

/** Enabled MCP servers from the settings and from other clients' files. */
export function describedServers({ mcp, machine }: McpSettings): ReturnType<typeof findMcpServers> {
  const { servers, problems } = findMcpServers(mcp, machine, process.cwd());
  return { servers: servers.filter(({ disabled }) => !disabled), problems };
}

/** Does not start any server yet. */
export function bridgeTo(servers: readonly FoundServer[], { env }: Machine, log: McpLog): McpBridge {
  return createMcpBridge({ servers, clock: systemClock, version, env, log });
}

export function openBridge(settings: McpSettings, log: McpLog): McpBridge {
  const { servers, problems } = describedServers(settings);
  for (const problem of problems) log.warn({ problem }, "MCP servers");
  return bridgeTo(servers, settings.machine, log);
}
