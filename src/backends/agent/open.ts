import type { BackendParts } from "../backend-parts.js";
import { type AgentRoad, createAgentRoad } from "./index.js";
import type { TransportSetting } from "./transport-choice.js";

interface AgentSettings {
  readonly backendUrl: string;
  readonly agentUrl: string | undefined;
  readonly transport: TransportSetting;
  readonly heartbeatMs: number;
  readonly silenceMs: number;
  readonly stallMs: number;
  readonly retries: number;
  readonly quietMs: number;
  readonly mapNativeTools: boolean;
}

export type { AgentBackend } from "./index.js";

export function open(parts: BackendParts<AgentSettings>): AgentRoad["backendOf"] {
  const { settings, clientVersions, network, fingerprint, clock, log } = parts;
  const { backendOf } = createAgentRoad({
    backendUrl: settings.backendUrl,
    agentUrl: settings.agentUrl,
    clientVersion: clientVersions.agent,
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
    fingerprint,
    clock,
    random: Math.random,
    log,
  });
  return backendOf;
}
