import { formerSettings } from "./former-settings.js";
import { type LoadedSettings, loadSettings, type SettingsSources } from "./load.js";
import { flagName, type SettingsTable, variablesOf } from "./setting.js";
import type { SettingName } from "./settings.js";
import { settingsTable } from "./table.js";

/** A setting in the form in which commands define their options. */
export interface SettingFlag {
  readonly type: "string" | "switch";
  readonly description: string;
  readonly valueHint: string;
  readonly group: string;
  /** Whether help always describes it, only in full, or keeps silent about a name of the past. */
  readonly use: "common" | "rare" | "former";
  readonly variable?: string;
  readonly usual?: string;
}

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

/** Flags that a script may still use; they are read, or ignored, with a warning. */
const formerNames = Object.keys(formerSettings).filter((name) => formerSettings[name]?.isEmbeddedOnly !== true);

/** The flags of these settings, and `--config`. */
export function settingArgs(
  names: readonly string[],
  table: SettingsTable = settingsTable,
): Record<string, SettingFlag> {
  const former = formerNames.map((name): [string, SettingFlag] => {
    return [flagName(name), { type: "string", description: "", valueHint: "value", group: "", use: "former" }];
  });
  const flags = names.flatMap((name): [string, SettingFlag][] => {
    const setting = table[name];
    if (setting === undefined) return [];
    const { about, group, use } = setting;
    const [variable] = variablesOf(name, setting);
    const [usual] = defaultOf(setting.default);
    const type = typeof setting.default === "boolean" ? "switch" : "string";
    const flag: SettingFlag = {
      ...{ type, description: about, valueHint: valueHint(name), group, use },
      ...(variable !== undefined && { variable }),
      ...(usual !== undefined && { usual }),
    };
    return [[flagName(name), flag]];
  });
  const description = "Settings file to use instead of the one in Curlew's folder.";
  const config: SettingFlag = { type: "string", description, valueHint: "file", group: "Settings file", use: "common" };
  return { ...Object.fromEntries([...former, ...flags]), config };
}

/** The values of these settings on the command line. */
export function settingsFrom(
  args: Readonly<Record<string, unknown>>,
  names: readonly SettingName[],
): Pick<SettingsSources, "given" | "configFile"> {
  const text = (name: string) => (typeof args[name] === "string" ? args[name] : undefined);
  return {
    given: Object.fromEntries([...names, ...formerNames].map((name) => [name, text(flagName(name))])),
    configFile: text("config"),
  };
}

/** All settings, with what was said on the command line about these. Warnings go to stderr. */
export function loadFrom(args: Readonly<Record<string, unknown>>, names: readonly SettingName[]): LoadedSettings {
  return loadAndWarn(settingsFrom(args, names));
}

/** Loads the settings for a command and writes the warnings about them to stderr. */
export function loadAndWarn(sources: SettingsSources): LoadedSettings {
  const loaded = loadSettings(sources);
  for (const warning of loaded.warnings) process.stderr.write(`curlew: ${warning}\n`);
  return loaded;
}

/** Empty where the default is unset, or a list or object without entries. */
export function defaultOf(value: unknown): string[] {
  if (typeof value === "object" && value !== null) {
    return Object.keys(value).length === 0 ? [] : [Array.isArray(value) ? value.join(",") : JSON.stringify(value)];
  }
  return value === undefined ? [] : [String(value)];
}

function valueHint(name: string): string {
  if (name.endsWith("Ms")) return "ms";
  if (name.endsWith("Bytes")) return "bytes";
  if (name.endsWith("Url")) return "url";
  return flagName(name).replace(/^.*-/, "");
}
