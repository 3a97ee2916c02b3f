import { systemClock } from "../clock.js";
import { thisMachine } from "../config/machine.js";
import { findMcpServers } from "../config/mcp/find-servers.js";
import type { Settings } from "../config/settings.js";
import type { Log } from "../ops/log.js";
import { createMcpBridge, type McpBridge } from "../tools/mcp/index.js";
import { version } from "../version.js";

/** The MCP servers of the settings and, where that is wanted, of other clients' files; none is started yet. */
export function openBridge(settings: Pick<Settings, "mcp" | "mcpImport">, log: Pick<Log, "warn" | "debug">): McpBridge {
  const machine = thisMachine();
  const { servers, problems } = findMcpServers(settings, machine, process.cwd());
  for (const problem of problems) log.warn({ problem }, "MCP servers");
  return createMcpBridge({
    servers: servers.filter(({ disabled }) => !disabled),
    clock: systemClock,
    version,
    env: machine.env,
    log,
  });
}
