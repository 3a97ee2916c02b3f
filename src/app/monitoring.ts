import type { AgentBackend } from "../backends/agent/index.js";
import { type Backends, backendsIn, type Routing } from "../backends/choose/index.js";
import { registeredBackends } from "../backends/registry.js";
import { systemClock } from "../clock.js";
import type { Settings } from "../config/settings.js";
import type { BackendWithModels, Gateway } from "../gateway/index.js";
import { createMetrics, type Metrics } from "../metrics/index.js";
import type { Log } from "../ops/log.js";
import type { LogOutput } from "../ops/log-output.js";
import type { Store } from "../store/index.js";
import { version } from "../version.js";

interface MonitoredGateway {
  readonly gatewayId: string;
  readonly gateway: Pick<Gateway, "openRuns" | "parkedRuns">;
  /** The name of the backend for people. */
  readonly backend: string;
  readonly routing: Routing;
  readonly accountBackends: Backends<BackendWithModels>;
  readonly agent: Pick<AgentBackend, "drift" | "serverConfig">;
  readonly store: Pick<Store, "knownStats">;
  readonly log: Log;
  readonly logOutput: Pick<LogOutput, "lostLines">;
}

/** Counts from now on what `/metrics` shows. */
export function startMetrics(parts: MonitoredGateway): Metrics {
  const { gatewayId, gateway, backend, routing, accountBackends, agent, store, log, logOutput } = parts;
  const routed: readonly string[] = backendsIn(routing);
  const catalogueOf = (name: string | undefined) => {
    return (name !== undefined && routed.includes(name) ? accountBackends.open(name) : accountBackends.usual).catalogue;
  };
  return createMetrics({
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
      store: store.knownStats(),
    }),
    clock: systemClock,
    onProblem: (problem) => log.warn({ err: problem }, "metrics"),
  });
}

/** Sends traces from now on, if the settings say where to. Their code is loaded only then. */
export async function startTraces(
  { otlpEndpoint, otlp }: Pick<Settings, "otlpEndpoint" | "otlp">,
  { gatewayId, agent, log }: Pick<MonitoredGateway, "gatewayId" | "agent" | "log">,
): Promise<{ close(): Promise<void> }> {
  if (otlpEndpoint === undefined) return { close: async () => {} };
  const traces = await import("../traces/index.js");
  return traces.startTraces({
    gatewayId,
    url: otlpEndpoint,
    ...otlp,
    version,
    upstream: () => agent.serverConfig.agentOrigin,
    clock: systemClock,
    onProblem: (problem) => log.warn({ err: problem }, "traces"),
  });
}
