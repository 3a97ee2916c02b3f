const PRODUCTION = "https://api2.cursor.sh";
/** Where runs go when the server names no other place: by whether the account's privacy mode is on. */
const PRIVATE_HOST = "https://agent.api5.cursor.sh";
const OPEN_HOST = "https://agentn.api5.cursor.sh";

interface HostFacts {
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
export function agentOrigin({ backendUrl, agentUrl, advised, ghostMode }: HostFacts): string {
  if (agentUrl !== undefined) return new URL(agentUrl).origin;
  const backend = new URL(backendUrl).origin;
  if (backend !== PRODUCTION) return backend;
  const named = ghostMode ? advised.agentUrl : advised.agentnUrl;
  return trusted(named) ?? (ghostMode ? PRIVATE_HOST : OPEN_HOST);
}

/** The account's token goes there, so it must be Cursor's own. */
function trusted(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, origin } = new URL(url);
  return protocol === "https:" && hostname.endsWith(".cursor.sh") ? origin : undefined;
}
