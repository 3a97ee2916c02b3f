import { type AgentRoad, createAgentRoad } from "../../backends/agent/index.js";
import { systemClock } from "../../clock.js";
import { agentVersion } from "../../config/client-version.js";
import { callFingerprint } from "../../tools/loop-guard.js";
import type { RoadParts } from "./road-parts.js";

export function openAgent({ settings, network, log }: Pick<RoadParts, "settings" | "network" | "log">): AgentRoad {
  return createAgentRoad({
    backendUrl: settings.backendUrl,
    agentUrl: settings.agentUrl,
    clientVersion: agentVersion(settings.clientVersion),
    transport: settings.transport,
    network,
    limits: {
      heartbeatMs: settings.heartbeatMs,
      silenceMs: settings.silenceMs,
      noProgressMs: settings.stallMs,
      maxRetries: settings.retries,
      quietMs: settings.quietMs,
    },
    mapsNativeTools: settings.mapNativeTools,
    fingerprint: callFingerprint,
    clock: systemClock,
    random: Math.random,
    log,
  });
}
