import { parseEnv } from "node:util";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { type LoadedSettings, loadSettings, type SettingsSources } from "./load.js";
import { flagName, type Setting, type SettingsTable, settingsWithFlag, variablesOf } from "./setting.js";
import type { SettingName } from "./settings.js";
import { SettingsError } from "./settings-error.js";
import { readBounded } from "./settings-file.js";
import { settingsTable } from "./table.js";

const MINUTE_MS = 60_000;
const MEBIBYTE = 1_048_576;

/** The settings that decide how Cursor is reached; every command that calls Cursor has their flags. */
export const upstreamSettings: readonly SettingName[] = [
  "backend",
  "routes",
  "fallback",
  "conduct",
  "cliPath",
  "sdkPath",
  "backendUrl",
  "agentUrl",
  "transport",
  "clientVersion",
  "stallMs",
  "logLevel",
];

export function settingArgs<Name extends string = SettingName>(
  names: readonly NoInfer<Name>[],
  table: SettingsTable = settingsTable,
): Record<string, ReturnType<typeof flagOf>> {
  const flags = names.flatMap((name) => {
    const setting = table[name];
    return setting === undefined ? [] : [[flagName(name), flagOf(name, setting)]];
  });
  const description = "Settings file instead of your own curlew.json";
  const config = { type: "string", description, valueHint: "file", group: "Options", use: "common" } as const;
  return { ...Object.fromEntries(flags), config };
}

function flagOf(name: string, setting: Setting<unknown>) {
  const [group = ""] = setting.group.split(":"); // the part before its explanation
  const [variable] = variablesOf(name, setting);
  const usual = usualText(name, setting.default);
  return {
    type: typeof setting.default === "boolean" ? ("switch" as const) : ("string" as const),
    // Without the markup of the guide.
    description: setting.about.replaceAll("`", "").replaceAll(/\[([^[\]]+)\]\([^()[]+\)/g, "docs/guide/$1"),
    valueHint: valueHint(name),
    group,
    use: setting.use,
    ...(variable !== undefined && { variable }),
    ...(usual !== undefined && { usual }),
  };
}

export const envFileArg = {
  "env-file": {
    type: "string",
    alone: ".env",
    description: "Also read the variables in a file, by default .env. The environment wins.",
    valueHint: "file",
    group: "Settings file",
    use: "common",
  },
} as const;

type Args = Readonly<Record<string, unknown>>;

interface Warned {
  write(text: string): unknown;
}

interface SettingsMachine extends Machine {
  /** Takes up the variables of `--env-file`. */
  readonly env: Record<string, string | undefined>;
  readonly stderr: Warned;
}

/** The settings on the command line. Loads the variables of `--env-file` into the environment. */
export function settingsFrom(args: Args, machine: SettingsMachine): SettingsSources {
  const text = (name: string) => (typeof args[name] === "string" ? args[name] : undefined);
  const envFile = text("env-file");
  const { env, platform, homeDirectory } = machine;
  return {
    ...{ env, platform, homeDirectory },
    ...(envFile !== undefined && { variablePlaces: useEnvFile(envFile, machine.env) }),
    given: Object.fromEntries(settingsWithFlag(settingsTable).map((name) => [name, text(flagName(name))])),
    configFile: text("config"),
  };
}

/** All settings, with those of the command line. Warnings go to stderr. */
export function loadFrom(args: Args, machine: SettingsMachine): LoadedSettings {
  return loadAndWarn(settingsFrom(args, machine), machine.stderr);
}

export function loadAndWarn(sources: SettingsSources, stderr: Warned): LoadedSettings {
  const loaded = loadSettings(sources);
  for (const warning of loaded.warnings) stderr.write(`curlew: ${warning}\n`);
  return loaded;
}

/** Empty if the default is unset, or a list or object without entries. */
export function defaultOf(value: unknown): string[] {
  if (typeof value === "object" && value !== null) {
    return Object.keys(value).length === 0 ? [] : [Array.isArray(value) ? value.join(",") : JSON.stringify(value)];
  }
  return value === undefined ? [] : [String(value)];
}

/** The default as help shows it, large numbers with their meaning; undefined if there is none. */
function usualText(name: string, value: unknown): string | undefined {
  if (typeof value === "boolean") return value ? "on" : "off";
  const [text] = defaultOf(value);
  if (typeof value !== "number") return text;
  if (name.endsWith("Ms") && value >= MINUTE_MS) return `${text}, ${value / MINUTE_MS} min`;
  return name.endsWith("Bytes") ? `${text}, ${value / MEBIBYTE} MiB` : text;
}

function valueHint(name: string): string {
  if (name.endsWith("Ms")) return "ms";
  if (name.endsWith("Bytes")) return "bytes";
  if (name.endsWith("Url")) return "url";
  return flagName(name).replace(/^.*-/, "");
}

const MAX_BYTES = 256 * 1024;

/** Loads the variables of a file into the environment, for child processes too. Returns the origin of each, such as `.env:3`. */
export function useEnvFile(path: string, env: Record<string, string | undefined>): ReadonlyMap<string, string> {
  const text = readText(path);
  const places = new Map<string, string>();
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (env[name]) continue; // an empty one counts as unset
    env[name] = value;
    places.set(name, `${path}:${lineOf(name, text)}`);
  }
  return places;
}

/** The last line that sets a variable counts. */
function lineOf(name: string, text: string): number {
  const isSetBy = (line: string) => line.replace(/^\s*(?:export\s+)?/, "").match(/^[^\s=]+/)?.[0] === name;
  return text.split("\n").findLastIndex(isSetBy) + 1;
}

function readText(path: string): string {
  try {
    return readBounded(path, MAX_BYTES);
  } catch (thrown) {
    if (thrown instanceof SettingsError) throw thrown;
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : thrown;
    throw new SettingsError(`--env-file names ${path}, which cannot be read (${String(code)}).`, { cause: thrown });
  }
}
