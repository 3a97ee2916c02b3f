import type { TokenSource } from "../auth/token.js";
import type { AgentBackend } from "../backends/agent/index.js";
import type { Backends } from "../backends/choose/index.js";
import { goesWithoutCredential } from "../backends/registry.js";
import type { BackendWithModels, Gateway } from "../gateway/index.js";
import { createHealth, type HealthReport } from "../ops/health.js";
import type { LogOutput } from "../ops/log-output.js";
import type { McpBridge } from "../tools/mcp/index.js";
import { version } from "../version.js";

interface HealthSources {
  /** The name of the backend for people. */
  readonly backend: string;
  readonly conduct: HealthReport["conduct"];
  /** The backend of turns that no route sends elsewhere. */
  readonly usual: string;
  readonly gateway: Gateway;
  readonly tokens: TokenSource;
  readonly accountBackends: Backends<BackendWithModels>;
  readonly agent: Pick<AgentBackend, "drift" | "transport">;
  readonly bridge: Pick<McpBridge, "counts">;
  readonly logOutput: Pick<LogOutput, "lostLines">;
}

export interface GatewayHealth {
  /** What is known. */
  known(): HealthReport;
  /** The same. Meanwhile somebody may have signed in, which is found out for the next who asks. */
  checked(): HealthReport;
  /** Whether Cursor accepts the login of the usual backend. A backend with its own login is asked. */
  checkLogin(): Promise<HealthReport["auth"]>;
}

export function gatewayHealth(sources: HealthSources): GatewayHealth {
  const { backend, conduct, usual, gateway, tokens, accountBackends, agent, bridge, logOutput } = sources;
  const known = createHealth({
    version,
    backend,
    simulator: backend === "simulator",
    conduct,
    tokens,
    usual,
    hasOwnLogin: goesWithoutCredential,
    read: () => ({
      mcp: bridge.counts,
      backends: accountBackends.health,
      drift: agent.drift,
      transport: agent.transport,
      conversations: conversationsOf(gateway),
      lostLogLines: logOutput.lostLines,
    }),
  });
  return {
    known,
    checked() {
      void accountBackends.checkLogins();
      return known();
    },
    async checkLogin() {
      await accountBackends.checkLogins();
      return known().auth;
    },
  };
}

function conversationsOf({ openRuns, parkedRuns, runsLetGo, continuity }: Gateway) {
  const { open, peak, waiting } = openRuns;
  return { openRuns: open, peakRuns: peak, waitingRequests: waiting, parkedRuns, runsLetGo, continuity };
}
