import { type AgentBackend, open as openAgent } from "../backends/agent/index.js";
import type { Backend, BackendName } from "../backends/backend.js";
import type { BackendAccount, BackendParts, OpenBackend } from "../backends/backend-parts.js";
import { type RegisteredBackend, registry } from "../backends/registry.js";
import type { Settings } from "../config/settings.js";

export interface OpenedBackends {
  /** Always there: it also tells of the account and of Cursor's server. */
  agentOf(account: BackendAccount): AgentBackend;
  backendOf(name: BackendName, account: BackendAccount): Backend;
}

/** The backends that turns may go to, opened for all accounts. The code of the others is not even loaded. */
export async function openBackends(
  names: readonly RegisteredBackend[],
  parts: BackendParts<Settings>,
): Promise<OpenedBackends> {
  const agentOf = openAgent(parts);
  const opened = new Map<BackendName, ReturnType<OpenBackend<Settings>>>();
  for (const name of names) {
    if (name === "agent") continue;
    const { open } = await registry[name].open();
    opened.set(name, open(parts));
  }
  return { agentOf, backendOf: (name, account) => (opened.get(name) ?? agentOf)(account) };
}
