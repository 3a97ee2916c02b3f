import { tokensFromApiKey } from "../src/auth/token.js";
import {
  type AgentBackend,
  type AgentBackendDeps,
  createAgentBackend,
  defaultLimits,
} from "../src/backends/agent/index.js";
import { systemClock } from "../src/clock.js";

/** The agent backend as it is composed for users, but for what a test holds still or watches. */
export function makeAgentBackend(backendUrl: string, changes: Partial<AgentBackendDeps> = {}): AgentBackend {
  const clock = changes.clock ?? systemClock;
  return createAgentBackend({
    tokens: tokensFromApiKey({ apiKey: "crsr_test", backendUrl, clock, account: "me" }),
    backendUrl,
    agentUrl: backendUrl,
    identity: { version: "cli-2026.10.01-e373342", ghostMode: true },
    limits: defaultLimits,
    mapsNativeTools: true,
    fingerprint: (name, input) => `${name} ${input}`,
    clock,
    random: () => 0,
    log: { warn: () => {} },
    ...changes,
  });
}
