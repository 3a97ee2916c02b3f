import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type ParseError, parse } from "jsonc-parser";
import { firstFlaw } from "../../../json-flaw.js";
import { unlessMissing } from "../../../unless-missing.js";
import type { Machine } from "../../machine.js";
import type { ImportSource } from "../mcp-settings.js";

const MAX_BYTES = 4 * 1024 * 1024;

/** Where the servers of a client stand, those of the working folder first. */
export function filesOf(source: ImportSource, { env, platform, homeDirectory }: Machine, folder: string): string[] {
  switch (source) {
    case "opencode": {
      const own = join(env.XDG_CONFIG_HOME || join(homeDirectory, ".config"), "opencode");
      return [folder, own].flatMap((each) => [join(each, "opencode.json"), join(each, "opencode.jsonc")]);
    }
    case "cursor":
      return [join(folder, ".cursor", "mcp.json"), join(homeDirectory, ".cursor", "mcp.json")];
    case "claude-code":
      return [join(folder, ".mcp.json")];
    case "claude-desktop": {
      const base = {
        darwin: join(homeDirectory, "Library", "Application Support"),
        win32: env.APPDATA || join(homeDirectory, "AppData", "Roaming"),
      };
      const usual = env.XDG_CONFIG_HOME || join(homeDirectory, ".config");
      const place = platform === "darwin" || platform === "win32" ? base[platform] : usual;
      return [join(place, "Claude", "claude_desktop_config.json")];
    }
  }
}

/** The servers that a file names, as they stand there; undefined when there is no such file. */
export function readImport(path: string, source: ImportSource): Record<string, unknown> | undefined {
  const content = readText(path);
  if (content === undefined) return undefined;
  const errors: ParseError[] = [];
  const parsed: unknown = parse(content, errors, { allowTrailingComma: true });
  const flaw = firstFlaw(content, errors);
  if (flaw !== undefined)
    throw new Error(`it is not valid JSON: ${flaw.what} (line ${flaw.line}, column ${flaw.column})`);
  const keys = source === "opencode" ? ["mcpServers", "mcp"] : ["mcpServers"];
  return Object.assign({}, ...keys.map((key) => (isObject(parsed) && isObject(parsed[key]) ? parsed[key] : {})));
}

/** An entry of any client's file in the form of ours. Its values are checked later. */
export function normalise(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const { command, args, env, environment, type, enabled, disabled, transport, ...rest } = entry;
  const words = Array.isArray(command) ? command : [command, ...(Array.isArray(args) ? args : [])];
  const isSse = type === "sse" || transport === "sse";
  const isHttp = [type, transport].some((each) => each === "http" || each === "streamable-http");
  return {
    ...pick(rest, ["cwd", "url", "headers"]),
    ...(words[0] !== undefined && { command: words[0], args: words.slice(1) }),
    ...((env ?? environment) !== undefined && { env: env ?? environment }),
    ...(isSse ? { transport: "sse" } : isHttp ? { transport: "http" } : {}),
    disabled: disabled === true || enabled === false,
  };
}

function pick(from: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readText(path: string): string | undefined {
  return unlessMissing(() => {
    if (statSync(path).size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  });
}
