import { reasonOf } from "../../../turn/reason-of.js";
import type { Machine } from "../../machine.js";
import { type ImportSource, type McpServerEntry, type McpSettings, mcpServerEntry } from "../mcp-settings.js";
import { filesOf, normalise, readImport } from "./import-file.js";

export interface FoundServer extends McpServerEntry {
  readonly name: string;
  readonly origin: string;
}

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

/** How a file names variables of the environment: `${env:NAME}`, `${NAME}` or `${NAME:-else}`, `{env:NAME}`. */
type VariableForm = "prefixed" | "shell" | "braces";

/** A default may have at most 1,000 characters; the search for its end stops there. */
const patterns: Readonly<Record<VariableForm, RegExp>> = {
  prefixed: /\$\{env:([A-Za-z_]\w*)\}/g,
  shell: /\$\{([A-Za-z_]\w*)(?::-([^}]{0,1000}))?\}/g,
  braces: /(?<!\$)\{env:([A-Za-z_]\w*)\}/g,
};

/** Fills in the variables in all texts. Throws the name of one that is not set: without its key, a server would fail later. */
function substitute(
  value: unknown,
  forms: readonly VariableForm[],
  env: Readonly<Record<string, string | undefined>>,
): unknown {
  if (typeof value === "string") return forms.reduce((text, form) => fill(text, patterns[form], env), value);
  if (Array.isArray(value)) return value.map((each) => substitute(each, forms, env));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, substitute(each, forms, env)]));
}

function fill(text: string, pattern: RegExp, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(pattern, (_, name: string, fallbackModel: unknown) => {
    // A pattern without a second group has a number here.
    const found = env[name] || (typeof fallbackModel === "string" ? fallbackModel : undefined);
    if (found === undefined) throw new Error(`the environment variable ${name} is not set`);
    return found;
  });
}
