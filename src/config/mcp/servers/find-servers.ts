import type { Machine } from "../../machine.js";
import { type ImportSource, type McpServerEntry, type McpSettings, mcpServerEntry } from "../mcp-settings.js";
import { filesOf, normalise, readImport } from "./import-file.js";
import { substitute, type VariableForm } from "./substitute.js";

export interface FoundServer extends McpServerEntry {
  readonly name: string;
  /** Where it was described. */
  readonly origin: string;
}

/** The variables that each kind of file may name. */
const forms: Readonly<Record<ImportSource | "own", readonly VariableForm[]>> = {
  own: ["prefixed"],
  opencode: ["prefixed", "braces"],
  cursor: ["prefixed"],
  "claude-code": ["prefixed", "shell"],
  "claude-desktop": ["prefixed"],
};

/** The MCP servers of curlew.json, then those of other clients' files where that is wanted; the first of a name counts. */
export function findMcpServers(mcp: McpSettings, machine: Machine, folder: string) {
  const servers = new Map<string, FoundServer>();
  // What could not be used, each as a sentence without a value of it.
  const problems: string[] = [];
  const add = (name: string, entry: unknown, source: ImportSource | "own", origin: string) => {
    if (servers.has(name)) return;
    try {
      const read = mcpServerEntry().safeParse(substitute(entry, forms[source], machine.env));
      const [issue] = read.error?.issues ?? [];
      if (read.success) servers.set(name, { ...read.data, name, origin });
      else throw new Error([issue?.path.join("."), issue?.message].filter(Boolean).join(": "));
    } catch (thrown) {
      problems.push(`The MCP server ${name} of ${origin} is left out: ${reasonOf(thrown)}.`);
    }
  };
  for (const [name, entry] of Object.entries(mcp.servers ?? {})) add(name, entry, "own", "curlew.json");
  for (const source of new Set(mcp.import)) {
    const files = filesOf(source, machine, folder);
    let isThere = false;
    for (const path of files) {
      try {
        const entries = readImport(path, source);
        isThere ||= entries !== undefined;
        for (const [name, entry] of Object.entries(entries ?? {})) add(name, normalise(entry), source, path);
      } catch (thrown) {
        isThere = true;
        problems.push(`No MCP servers were taken from ${path}: ${reasonOf(thrown)}.`);
      }
    }
    if (!isThere) problems.push(`There are no MCP servers of ${source} to take over: no ${files.join(", no ")}.`);
  }
  return { servers: [...servers.values()], problems };
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
