import { readFileSync } from "node:fs";
import type { TokenSource } from "@curlew/gateway/account/token.js";
import type { AgentBackend } from "@curlew/gateway/backends/agent/index.js";
import { type Backends, backendsIn, type Routing } from "@curlew/gateway/backends/choose/index.js";
import { goesWithoutCredential, registeredBackends } from "@curlew/gateway/backends/registry.js";
import { type BackendWithModels, createHealth, type Gateway, type HealthReport } from "@curlew/gateway/core/index.js";
import type { McpBridge } from "@curlew/gateway/core/tools/mcp/index.js";
import type { Store } from "@curlew/gateway/store/index.js";
import { systemClock } from "@curlew/gateway/system/clock.js";
import { createMetrics, type Metrics } from "@curlew/meter/metrics/index.js";
import type { Log } from "../log/log.js";
import type { LogOutput } from "../log/log-output.js";
import { version } from "./version.js";

interface MonitoredGateway {
  readonly gatewayId: string;
  readonly gateway: Gateway;
  readonly backend: string;
  readonly conduct: HealthReport["conduct"];
  readonly routing: Routing;
  readonly accountBackends: Backends<BackendWithModels>;
  readonly agent: Pick<AgentBackend, "drift" | "transport">;
  readonly tokens: TokenSource;
  readonly bridge: Pick<McpBridge, "counts">;
  readonly store: Pick<Store, "stats">;
  readonly log: Log;
  readonly logOutput: Pick<LogOutput, "lostLines">;
  readonly isUpdated: () => boolean;
}

export function monitorGateway(monitored: MonitoredGateway) {
  const { gatewayId, gateway, backend, conduct, routing, accountBackends, agent, tokens } = monitored;
  const { bridge, store, log, logOutput, isUpdated } = monitored;
  const routed: readonly string[] = backendsIn(routing);
  const catalogueOf = (name: string | undefined) => {
    return (name !== undefined && routed.includes(name) ? accountBackends.open(name) : accountBackends.usual).catalogue;
  };
  const metrics: Metrics = createMetrics({
    gatewayId,
    build: { version, backend },
    names: {
      backends: [...registeredBackends, "simulator"],
      isModel: (name, servedBy) => catalogueOf(servedBy).knows(name),
    },
    read: () => ({
      openRuns: Math.max(0, gateway.openRuns.open - gateway.parkedRuns),
      parkedRuns: gateway.parkedRuns,
      drift: agent.drift,
      lostLogLines: logOutput.lostLines,
      store: store.stats(),
    }),
    clock: systemClock,
    onProblem: (problem) => log.warn({ err: problem }, "metrics"),
  });
  const known = createHealth({
    tokens,
    now: Date.now,
    usual: routing.usual,
    hasOwnLogin: goesWithoutCredential,
    read: () => ({
      version,
      backend,
      simulator: backend === "simulator",
      conduct,
      mcp: bridge.counts,
      backends: accountBackends.health,
      drift: agent.drift,
      transport: "agent" in accountBackends.health ? agent.transport : undefined,
      conversations: conversationsOf(gateway),
      lostLogLines: logOutput.lostLines,
      updated: isUpdated(),
    }),
  });
  const health = {
    known,
    /** Also starts a login check; the next call sees its result. */
    checked() {
      void accountBackends.checkLogins();
      return known();
    },
    /** Whether the usual backend's login works. Backends with their own login are asked. */
    async checkLogin() {
      await accountBackends.checkLogins();
      return known().auth;
    },
  };
  return { metrics, health };
}

function conversationsOf({ openRuns, parkedRuns, runsLetGo, continuity }: Gateway) {
  const { open, peak, waiting } = openRuns;
  return { openRuns: open, peakRuns: peak, waitingRequests: waiting, parkedRuns, runsLetGo, continuity };
}

/** The built command, which ends with a hash of all files of its build. */
const command = new URL("../main.js", import.meta.url);

/** Returns a function that checks whether another build has replaced the running one. Calls `onUpdated` once. */
export function watchBuild(onUpdated: () => void): () => boolean {
  const started = readCommand();
  let isSaid = false;
  return () => {
    const text = readCommand();
    const isUpdated = text !== undefined && text !== started;
    if (isUpdated && !isSaid) onUpdated();
    isSaid ||= isUpdated;
    return isUpdated;
  };
}

/** Undefined when run from source, and during an update. */
function readCommand(): string | undefined {
  try {
    return readFileSync(command, "utf8");
  } catch {
    return undefined;
  }
}
