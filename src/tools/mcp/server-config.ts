import { fitsWildcard } from "../../turn/fits-wildcard.js";

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
  /** How long one call may take. */
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
