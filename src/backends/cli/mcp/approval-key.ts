import { createHash } from "node:crypto";
import { join } from "node:path";

/**
 * What the CLI writes down when somebody approves an MCP server in a workspace; a server whose key is not there is left
 * out of a session without a word.
 */
export function approvalKey(name: string, root: string, config: object): string {
  const hash = createHash("sha256").update(JSON.stringify({ path: root, server: config }));
  return `${name}-${hash.digest("hex").slice(0, 16)}`;
}

/** Where the CLI keeps the keys of a workspace; `root` is its real path. */
export function approvalFile(dataDir: string, root: string): string {
  const slug = root.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
  return join(dataDir, "projects", slug, "mcp-approvals.json");
}
