import { sampleTokens } from "../../src/auth/sample-tokens.js";
import {
  type AgentBackend,
  type AgentBackendDeps,
  createAgentBackend,
  defaultLimits,
} from "../../src/backends/agent/index.js";
import { systemClock } from "../../src/clock.js";
import { createNetwork } from "../../src/network/index.js";
import { callFingerprint } from "../../src/tools/loop-guard.js";

/** The agent backend as it is composed for users, but for what a test holds still or watches. */
export function makeAgentBackend(backendUrl: string, changes: Partial<AgentBackendDeps> = {}): AgentBackend {
  const clock = changes.clock ?? systemClock;
  return createAgentBackend({
    tokens: sampleTokens(backendUrl, clock),
    backendUrl,
    agentUrl: backendUrl,
    clientVersion: "cli-2026.10.01-e373342",
    transport: "auto",
    network: createNetwork(),
    limits: defaultLimits,
    mapsNativeTools: true,
    fingerprint: callFingerprint,
    clock,
    random: () => 0,
    log: { warn: () => {} },
    ...changes,
  });
}
