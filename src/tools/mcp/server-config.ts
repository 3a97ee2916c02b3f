import { fitsWildcard } from "../../turn/fits-wildcard.js";

const SHORTEST_SECRET = 6;
const telling = /key|token|secret|passw|auth|credential/i;

/** One MCP server, and what it may do. */
export interface McpServerConfig {
  readonly name: string;
  /** A program that speaks on its standard streams; else there is a `url`. */
  readonly command?: string | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** How the address is spoken to; without it, streamable HTTP and, where that is refused, SSE. */
  readonly transport?: "http" | "sse" | undefined;
  readonly timeoutMs: number;
  /** The tools that are offered, all without it; `*` stands for anything. */
  readonly allow?: readonly string[] | undefined;
  readonly deny: readonly string[];
}

/** Whether a tool is offered. A denial wins. */
export function isAllowed(tool: string, { allow, deny }: Pick<McpServerConfig, "allow" | "deny">): boolean {
  return (
    (allow === undefined || allow.some((each) => fitsWildcard(tool, each))) &&
    !deny.some((each) => fitsWildcard(tool, each))
  );
}

/** What a server says, without what it was told in confidence: people read it, and so do models. */
export function hideSecrets(text: string, { headers, env }: Pick<McpServerConfig, "headers" | "env">): string {
  const named = Object.entries(env).filter(([name]) => telling.test(name));
  const values = [...Object.values(headers), ...named.map(([, value]) => value)];
  // `Bearer ...`: the word is none, what follows is one.
  const secrets = values.flatMap((value) => value.split(" ")).filter((part) => part.length > SHORTEST_SECRET);
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "[hidden]"), text);
}
