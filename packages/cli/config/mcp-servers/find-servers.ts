import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  type ImportSource,
  type McpServerEntry,
  type McpSettings,
  mcpServerEntry,
} from "@curlew/gateway/core/tools/mcp/mcp-settings.js";
import { parseJson } from "@curlew/gateway/system/json-flaw.js";
import { type Machine, settingsFolder } from "@curlew/gateway/system/machine.js";
import { unlessMissing } from "@curlew/gateway/system/unless-missing.js";
import { isObject } from "@curlew/gateway/turn/read-json.js";
import { reasonOf } from "@curlew/gateway/turn/reason-of.js";

export interface FoundServer extends McpServerEntry {
  readonly name: string;
  readonly origin: string;
}

const PREFIXED = /\$\{env:([A-Za-z_]\w*)\}/g;
/** A default may have at most 1,000 characters; the search for its end stops there. */
const SHELL = /\$\{([A-Za-z_]\w*)(?::-([^}]{0,1000}))?\}/g;
const BRACES = /(?<!\$)\{env:([A-Za-z_]\w*)\}/g;

/** How a file names variables of the environment: `${env:NAME}`, `${NAME}` or `${NAME:-else}`, `{env:NAME}`. */
const forms: Readonly<Record<ImportSource | "own", readonly RegExp[]>> = {
  own: [PREFIXED],
  opencode: [PREFIXED, BRACES],
  cursor: [PREFIXED],
  "claude-code": [PREFIXED, SHELL],
  "claude-desktop": [PREFIXED],
};

/** The MCP servers of curlew.json, then those imported from other clients' files; the first of a name counts. */
export function findMcpServers(mcp: McpSettings, machine: Machine, folder: string) {
  const servers = new Map<string, FoundServer>();
  // What could not be used, each as a sentence without any value.
  const problems: string[] = [];
  const add = (name: string, entry: unknown, source: ImportSource | "own", origin: string) => {
    if (servers.has(name)) return;
    try {
      const read = mcpServerEntry().safeParse(substitute(entry, forms[source], machine.env));
      const [issue] = read.error?.issues ?? [];
      if (read.success) servers.set(name, { ...read.data, name, origin });
      else throw new Error([issue?.path.join("."), issue?.message].filter(Boolean).join(": "));
    } catch (thrown) {
      problems.push(`The MCP server ${name} of ${origin} is skipped: ${reasonOf(thrown)}.`);
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
        problems.push(`No MCP servers were imported from ${path}: ${reasonOf(thrown)}.`);
      }
    }
    if (!isThere) problems.push(`There are no MCP servers to import from ${source}: no ${files.join(", no ")}.`);
  }
  return { servers: [...servers.values()], problems };
}

/** Fills in the variables in all texts. Throws the name of one that is not set: without its key, a server would fail later. */
function substitute(value: unknown, patterns: readonly RegExp[], env: Machine["env"]): unknown {
  if (typeof value === "string") return patterns.reduce((text, pattern) => fill(text, pattern, env), value);
  if (Array.isArray(value)) return value.map((each) => substitute(each, patterns, env));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, substitute(each, patterns, env)]));
}

function fill(text: string, pattern: RegExp, env: Machine["env"]): string {
  return text.replace(pattern, (_, name: string, fallbackModel: unknown) => {
    // Without a second group, this argument is the offset.
    const found = env[name] || (typeof fallbackModel === "string" ? fallbackModel : undefined);
    if (found === undefined) throw new Error(`the environment variable ${name} is not set`);
    return found;
  });
}

const MAX_BYTES = 4 * 1024 * 1024;

/** The files with a client's servers, those of the working folder first. */
function filesOf(source: ImportSource, machine: Machine, folder: string): string[] {
  const { env, homeDirectory } = machine;
  const config = env.XDG_CONFIG_HOME || join(homeDirectory, ".config");
  switch (source) {
    case "opencode": {
      return [folder, join(config, "opencode")].flatMap((each) => [
        join(each, "opencode.json"),
        join(each, "opencode.jsonc"),
      ]);
    }
    case "cursor":
      return [join(folder, ".cursor", "mcp.json"), join(homeDirectory, ".cursor", "mcp.json")];
    case "claude-code":
      return [join(folder, ".mcp.json")];
    case "claude-desktop":
      return [join(settingsFolder(machine), "Claude", "claude_desktop_config.json")];
  }
}

/** The unchecked server entries of a file; undefined if it does not exist. */
function readImport(path: string, source: ImportSource): Record<string, unknown> | undefined {
  const content = unlessMissing(() => {
    if (statSync(path).size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  });
  if (content === undefined) return undefined;
  const parsed = parseJson(content, "it is not valid JSON: ");
  const keys = source === "opencode" ? ["mcpServers", "mcp"] : ["mcpServers"];
  return Object.assign({}, ...keys.map((key) => (isObject(parsed) && isObject(parsed[key]) ? parsed[key] : {})));
}

/** Converts any client's entry to our form. Its values are checked later. */
function normalise(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const { command, args, env, environment, type, enabled, disabled, transport, cwd, url, headers } = entry;
  const words = Array.isArray(command) ? command : [command, ...(Array.isArray(args) ? args : [])];
  const isSse = type === "sse" || transport === "sse";
  const isHttp = [type, transport].some((each) => each === "http" || each === "streamable-http");
  const program = { command: words[0], args: words.slice(1), cwd, env: env ?? environment };
  const spoken = isSse ? "sse" : isHttp ? "http" : undefined;
  return { ...program, url, headers, transport: spoken, disabled: disabled === true || enabled === false };
}
