import { officialBackends, registry } from "../../backends/registry.js";
import { systemClock } from "../../clock.js";
import { claimedClients } from "../../config/client-version.js";
import { thisMachine } from "../../config/machine.js";
import type { Settings } from "../../config/settings.js";

/** As whom Cursor sees the runs of one backend. Unknown values are null. */
export interface SentIdentity {
  readonly backend: string;
  readonly clientVersion: string | null;
  readonly userAgent: string | null;
  readonly hosts: readonly string[] | null;
  /** Whether a program of Cursor's own sends it. */
  readonly isOfficial: boolean;
}

export async function identityOf(backend: string, settings: Settings): Promise<SentIdentity> {
  const official = officialBackends.find((name) => name === backend);
  if (official !== undefined) return officialIdentity(official, settings);
  const isSimulated = backend === "simulator";
  const { agent, desktop } = claimedClients(settings.clientVersion, settings.profile);
  const { version: clientVersion, userAgent } = backend === "chat" ? desktop : agent;
  return { backend, clientVersion, userAgent, hosts: isSimulated ? null : hostsOf(settings), isOfficial: false };
}

async function officialIdentity(backend: (typeof officialBackends)[number], settings: Settings): Promise<SentIdentity> {
  const entry = registry[backend];
  const parts = { settings, machine: thisMachine(), clock: systemClock };
  const version = "ownLogin" in entry ? await (await entry.ownLogin()).installedVersion(parts) : undefined;
  return { backend, clientVersion: version ?? null, userAgent: null, hosts: null, isOfficial: true };
}

/** Runs go elsewhere on Cursor's own host alone, unless the server config names yet another one there. */
function hostsOf({ backendUrl, agentUrl, profile }: Settings): string[] {
  const { api, privateAgent, openAgent } = profile.hosts;
  const ofRuns = agentUrl !== undefined ? [agentUrl] : backendUrl === api ? [privateAgent, openAgent] : [];
  return [...new Set([backendUrl, ...ofRuns].map((url) => new URL(url).host))];
}
