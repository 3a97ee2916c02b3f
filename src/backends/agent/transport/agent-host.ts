import { OPEN_AGENT_HOST, PRIVATE_AGENT_HOST, PRODUCTION_BACKEND, PRODUCTION_DOMAIN } from "../../cursor/production.js";

interface HostChoice {
  readonly backendUrl: string;
  /** Set by the owner; wins over everything. */
  readonly agentUrl: string | undefined;
  /** What the server config names; empty when it names none. */
  readonly advised: { readonly agentUrl: string; readonly agentnUrl: string };
  readonly ghostMode: boolean;
}

/**
 * Where runs go. Only production sends them to another host: a backend that was set by hand, a local or a staging one keeps
 * every call, whatever its config says.
 */
export function agentOrigin({ backendUrl, agentUrl, advised, ghostMode }: HostChoice): string {
  if (agentUrl !== undefined) return new URL(agentUrl).origin;
  const backend = new URL(backendUrl).origin;
  if (backend !== PRODUCTION_BACKEND) return backend;
  const named = ghostMode ? advised.agentUrl : advised.agentnUrl;
  return trusted(named) ?? (ghostMode ? PRIVATE_AGENT_HOST : OPEN_AGENT_HOST);
}

/** The account's token goes there, so it must be Cursor's own. */
function trusted(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, origin } = new URL(url);
  return protocol === "https:" && hostname.endsWith(PRODUCTION_DOMAIN) ? origin : undefined;
}
