import { claimedClients } from "../../packages/cli/config/client-version.js";
import type { TokenSource } from "../../packages/gateway/account/token.js";
import { type AgentBackend, type AgentParts, open } from "../../packages/gateway/backends/agent/index.js";
import { argumentMisfit } from "../../packages/gateway/core/formats/schema-validators.js";
import { callFingerprint } from "../../packages/gateway/core/tools/loop-guard.js";
import { createNetwork } from "../../packages/gateway/network/index.js";
import { systemClock } from "../../packages/gateway/system/clock.js";
import { sampleProfile } from "../samples/sample-profile.js";
import { sampleTokens } from "../samples/sample-tokens.js";

export interface BackendChanges extends Partial<Pick<AgentParts, "clock" | "log">> {
  readonly settings?: Partial<AgentParts["settings"]>;
  readonly tokens?: TokenSource;
}

/** The agent backend as users get it, except for what a test controls or watches. */
export function makeAgentBackend(backendUrl: string, changes: BackendChanges = {}): AgentBackend {
  const { clock = systemClock, log = { info: () => {}, warn: () => {} }, settings, tokens } = changes;
  const backendOf = open({
    settings: {
      backendUrl,
      agentUrl: backendUrl,
      transport: "auto",
      heartbeatMs: 5_000,
      silenceMs: 30_000,
      stallMs: 5 * 60_000,
      retries: 3,
      retryPauseMs: 1_000,
      quietMs: 250,
      namedCallMs: 1_500,
      mapNativeTools: true,
      profile: sampleProfile,
      webTools: false,
      ...settings,
    },
    clients: claimedClients(sampleProfile.clients.cli.version, sampleProfile),
    network: createNetwork(),
    fingerprint: callFingerprint,
    loadMisfit: () => Promise.resolve(argumentMisfit()),
    clock,
    random: () => 0,
    log,
  });
  return backendOf({ tokens: tokens ?? sampleTokens(backendUrl, clock), apiKey: undefined });
}
