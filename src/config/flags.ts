import { useEnvFile } from "./env-file.js";
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
    const usual = usualText(name, setting.default);
    const type = typeof setting.default === "boolean" ? "switch" : "string";
    const flag: SettingFlag = {
      ...{ type, description: plain(about), valueHint: valueHint(name), group: heading(group), use },
      ...(variable !== undefined && { variable }),
      ...(usual !== undefined && { usual }),
    };
    return [[flagName(name), flag]];
  });
  const description = "Settings file instead of your own curlew.json";
  const config: SettingFlag = { type: "string", description, valueHint: "file", group: "Options", use: "common" };
  return { ...Object.fromEntries([...former, ...flags]), config };
}

/** For commands that read variables out of a file too. */
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

/** The values of these settings on the command line. Variables of a file that it names are in the environment afterwards. */
export function settingsFrom(
  args: Readonly<Record<string, unknown>>,
  names: readonly SettingName[],
): Pick<SettingsSources, "given" | "configFile" | "variablePlaces"> {
  const text = (name: string) => (typeof args[name] === "string" ? args[name] : undefined);
  const envFile = text("env-file");
  return {
    ...(envFile !== undefined && { variablePlaces: useEnvFile(envFile, process.env) }),
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

/** The default as help shows it, large numbers with their meaning; undefined if there is none. */
function usualText(name: string, value: unknown): string | undefined {
  if (typeof value === "boolean") return value ? "on" : "off";
  const [text] = defaultOf(value);
  if (typeof value !== "number") return text;
  if (name.endsWith("Ms") && value >= MINUTE_MS) return `${text}, ${value / MINUTE_MS} min`;
  return name.endsWith("Bytes") ? `${text}, ${value / MEBIBYTE} MiB` : text;
}

/** Without the marks that a page of the guide needs. */
function plain(about: string): string {
  return about.replaceAll("`", "").replaceAll(/\[([^[\]]+)\]\([^()[]+\)/g, "docs/guide/$1");
}

/** `Backends: how Curlew talks to Cursor` -> `Backends` */
function heading(group: string): string {
  return group.split(":")[0] ?? group;
}

function valueHint(name: string): string {
  if (name.endsWith("Ms")) return "ms";
  if (name.endsWith("Bytes")) return "bytes";
  if (name.endsWith("Url")) return "url";
  return flagName(name).replace(/^.*-/, "");
}
