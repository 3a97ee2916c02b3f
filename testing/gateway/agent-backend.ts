import {
  type AgentBackend,
  type AgentBackendDeps,
  type AgentRoadDeps,
  createAgentRoad,
} from "../../src/backends/agent/index.js";
import { systemClock } from "../../src/clock.js";
import { createNetwork } from "../../src/network/index.js";
import { callFingerprint } from "../../src/tools/loop-guard.js";
import { sampleTokens } from "../samples/sample-tokens.js";

const sampleLimits: AgentRoadDeps["limits"] = {
  heartbeatMs: 5_000,
  silenceMs: 30_000,
  noProgressMs: 5 * 60_000,
  maxRetries: 3,
  quietMs: 250,
};

/** The agent backend as it is composed for users, but for what a test holds still or watches. */
export function makeAgentBackend(backendUrl: string, changes: Partial<AgentBackendDeps> = {}): AgentBackend {
  const clock = changes.clock ?? systemClock;
  const deps: AgentBackendDeps = {
    tokens: sampleTokens(backendUrl, clock),
    backendUrl,
    agentUrl: backendUrl,
    clientVersion: "cli-2026.10.01-e373342",
    transport: "auto",
    network: createNetwork(),
    limits: sampleLimits,
    mapsNativeTools: true,
    fingerprint: callFingerprint,
    clock,
    random: () => 0,
    log: { warn: () => {} },
    ...changes,
  };
  return createAgentRoad(deps).backendOf(deps);
}
