import type { CursorProfile } from "../../../profile/index.js";

/** The domain of all hosts that the server config may send runs to. It is code and not data, because they get the account's token. */
const AGENT_DOMAIN = ".cursor.sh";

interface HostChoice {
  readonly backendUrl: string;
  readonly hosts: CursorProfile["hosts"];
  /** Set by the owner; wins over everything else. */
  readonly agentUrl: string | undefined;
  /** The hosts that the server config names; empty where it names none. */
  readonly advised: { readonly agentUrl: string; readonly agentnUrl: string };
  readonly ghostMode: boolean;
}

/**
 * Decides which origin runs go to. Only the production backend sends them to another host: a backend set by hand, a local one or
 * a staging one serves every call itself, whatever its config says.
 */
export function agentOrigin({ backendUrl, hosts, agentUrl, advised, ghostMode }: HostChoice): string {
  if (agentUrl !== undefined) return new URL(agentUrl).origin;
  const backend = new URL(backendUrl).origin;
  if (backend !== hosts.api) return backend;
  const named = ghostMode ? advised.agentUrl : advised.agentnUrl;
  return trusted(named) ?? (ghostMode ? hosts.privateAgent : hosts.openAgent);
}

/** Runs carry the account's token, so the host must be Cursor's own. */
function trusted(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, origin } = new URL(url);
  return protocol === "https:" && hostname.endsWith(AGENT_DOMAIN) ? origin : undefined;
}
