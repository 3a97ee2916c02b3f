import { type LoadedSettings, loadSettings, type SettingsSources } from "./load.js";
import { flagName, schema } from "./schema.js";
import type { SettingName } from "./settings.js";

/** As the library that reads command lines wants it. */
interface Flag {
  readonly type: "string";
  readonly description: string;
  readonly valueHint: string;
}

/** What decides how Cursor is reached; every command that does so has these flags. */
export const upstreamSettings: readonly SettingName[] = [
  "backend",
  "routes",
  "fallback",
  "cliPath",
  "sdkPath",
  "sdkNode",
  "backendUrl",
  "agentUrl",
  "transport",
  "clientVersion",
  "stallMs",
  "silenceMs",
  "heartbeatMs",
  "retries",
  "logLevel",
];

/** The flags of these settings, and `--config`. */
export function settingArgs(names: readonly SettingName[]): Record<string, Flag> {
  const args = names.map((name): [string, Flag] => {
    const { about, env, default: fallback } = schema[name];
    const description = `${about} (${[env[0], ...defaultOf(fallback)].join("; ")})`;
    return [flagName(name), { type: "string", description, valueHint: valueHint(name) }];
  });
  return {
    ...Object.fromEntries(args),
    config: { type: "string", description: "Settings file instead of the one in Curlew's folder.", valueHint: "file" },
  };
}

/** What was said on the command line about these settings. */
export function settingsFrom(
  args: Readonly<Record<string, unknown>>,
  names: readonly SettingName[],
): Pick<SettingsSources, "given" | "configFile"> {
  const text = (name: string) => (typeof args[name] === "string" ? args[name] : undefined);
  return {
    given: Object.fromEntries(names.map((name) => [name, text(flagName(name))])),
    configFile: text("config"),
  };
}

/** All settings, with what was said on the command line about these. */
export function loadFrom(args: Readonly<Record<string, unknown>>, names: readonly SettingName[]): LoadedSettings {
  return loadSettings(settingsFrom(args, names));
}

/** Nothing, also where nothing is the default: a list or a table without entries. */
function defaultOf(fallback: unknown): string[] {
  if (typeof fallback === "object" && fallback !== null && Object.keys(fallback).length === 0) return [];
  if (typeof fallback === "object") return [JSON.stringify(fallback)];
  return fallback === undefined ? [] : [String(fallback)];
}

function valueHint(name: SettingName): string {
  if (name.endsWith("Ms")) return "ms";
  if (name.endsWith("Bytes")) return "bytes";
  if (name.endsWith("Url")) return "url";
  return flagName(name).replace(/^.*-/, "");
}
