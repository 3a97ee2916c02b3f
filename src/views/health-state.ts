import type { HealthReport } from "../ops/health.js";
import type { HealthState } from "../page/contract.js";
import type { ServerReport } from "../tools/mcp/index.js";

/** How the backends and the MCP servers are doing, as far as that is known without asking any of them. */
export function healthState(report: HealthReport, servers: readonly ServerReport[]): HealthState {
  const { auth, backends, drift, transport, lostLogLines } = report;
  return {
    auth,
    backends: Object.entries(backends).map(([name, { auth: login, state, lastSuccess, lastError }]) => ({
      name,
      auth: login,
      state,
      lastSuccess,
      lastError,
    })),
    mcpServers: servers.map(({ problem, ...server }) => ({ ...server, problem: problem ?? null })),
    drift,
    transport: { name: transport.name, reason: transport.reason },
    lostLogLines,
  };
}
