import type { NamedMcpServer } from "../../../turn/turn.js";
import type { McpServerConfig } from "./server-config.js";

const NOT_OURS = "its address is not among the servers that this gateway runs for you (mcp.servers in curlew.json)";

/**
 * What becomes of the servers that a request names. A client only chooses among the owner's servers: the gateway connects to no
 * address because of a request.
 */
export function warnOfNamed(servers: readonly NamedMcpServer[], addresses: readonly string[]): string[] {
  return servers.map((named) => {
    const problem = addresses.some((address) => isAt(address, named)) ? named.problem : NOT_OURS;
    const name = `the MCP server ${named.label.slice(0, 40)}`;
    return problem === undefined
      ? `Calls of ${name} run in the gateway, with the headers of its own settings, and are not shown in the reply.`
      : `The tools of ${name} are left out: ${problem}.`;
  });
}

/** The terms of a request for a server of the owner's, as often as it names that server. */
export function termsFor({ url = "" }: McpServerConfig, servers: readonly NamedMcpServer[] = []) {
  return servers.filter((named) => isAt(url, named));
}

export function mayRun(tool: string, terms: readonly NamedMcpServer[] = []): boolean {
  return terms.every(({ allow, deny, problem }) => !problem && allow?.has(tool) !== false && deny?.has(tool) !== true);
}

function isAt(address: string, { url = "" }: NamedMcpServer): boolean {
  const hrefOf = (text: string) => (URL.canParse(text) ? new URL(text).href : undefined);
  return hrefOf(url) !== undefined && hrefOf(url) === hrefOf(address);
}
