import type { McpServerEntry } from "../../config/mcp/mcp-settings.js";
import { fitsWildcard } from "../../turn/fits-wildcard.js";

const SHORTEST_SECRET = 6;
const SECRET_NAME = /key|token|secret|passw|auth|credential/i;

/** One MCP server, and what it may do. */
export type McpServerConfig = Omit<McpServerEntry, "disabled"> & { readonly name: string };

/** Whether a tool is offered. `deny` wins over `allow`. */
export function isAllowed(tool: string, { allow, deny }: Pick<McpServerConfig, "allow" | "deny">): boolean {
  return (
    (allow === undefined || allow.some((each) => fitsWildcard(tool, each))) &&
    !deny.some((each) => fitsWildcard(tool, each))
  );
}

/** A server's words without the secrets in its configuration, because people and models read them. */
export function hideSecrets(text: string, { headers, env }: Pick<McpServerConfig, "headers" | "env">): string {
  const named = Object.entries(env).filter(([name]) => SECRET_NAME.test(name));
  const values = [...Object.values(headers), ...named.map(([, value]) => value)];
  // In `Bearer ...` the word is not secret, and what follows is.
  const secrets = values.flatMap((value) => value.split(" ")).filter((part) => part.length > SHORTEST_SECRET);
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "[hidden]"), text);
}
