import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findClientVersion } from "./client-version.js";
import { configDirectory, type Machine, thisMachine } from "./machine.js";
import { flagName, schema, settingNames } from "./schema.js";
import type { SettingSpec } from "./setting-spec.js";
import type { SettingName, Settings } from "./settings.js";
import { SettingsError } from "./settings-error.js";
import { readSettingsFile } from "./settings-file.js";

const READABLE_BY_OTHERS = 0o004;

export interface SettingsSources extends Partial<Machine> {
  /** What the command line, or the program that embeds the gateway, says. Texts are read as those of a flag. */
  readonly given?: { readonly [Name in SettingName]?: Settings[Name] | string | undefined };
  /** How to call a given value in a message; as a flag unless told otherwise. */
  readonly callGiven?: (name: SettingName) => string;
  /** Settings that only `given` may set. */
  readonly givenOnly?: readonly SettingName[];
  readonly configFile?: string | undefined;
  /** Wins over `CURLEW_HOME`. */
  readonly home?: string | undefined;
}

export interface LoadedSettings {
  readonly settings: Settings;
  /** Where a value came from, in words; undefined for a default. */
  readonly origins: { readonly [Name in SettingName]?: string };
  /** Where curlew.json is, or would be. */
  readonly configFile: string;
}

interface Found {
  readonly value: unknown;
  readonly origin: string;
  readonly rank: number;
}

/** Flags win over the environment, the environment over curlew.json. Throws a SettingsError that names every bad value. */
export function loadSettings(sources: SettingsSources = {}): LoadedSettings {
  const { given = {}, callGiven = (name: SettingName) => `--${flagName(name)}` } = sources;
  const { env, platform, homeDirectory } = { ...thisMachine(), ...sources };
  const home = sources.home ?? configDirectory({ env, platform, homeDirectory });
  const configFile = sources.configFile === undefined ? join(home, "curlew.json") : resolve(sources.configFile);
  const file = readSettingsFile(configFile, { mustExist: sources.configFile !== undefined });

  const find = (name: SettingName): Found | undefined => {
    if (given[name] !== undefined) return { value: given[name], origin: callGiven(name), rank: 0 };
    if (sources.givenOnly?.includes(name)) return undefined;
    // An empty variable is what a shell or a container leaves behind where nothing was meant.
    const variable = schema[name].env.find((each) => env[each]);
    if (variable !== undefined) return { value: env[variable], origin: `environment variable ${variable}`, rank: 1 };
    const inFile = file[name];
    if (inFile === undefined) return undefined;
    const value = name === "keyFile" && typeof inFile === "string" ? resolve(dirname(configFile), inFile) : inFile;
    return { value, origin: `${configFile}: ${name}`, rank: 2 };
  };

  const found = new Map(settingNames.map((name) => [name, find(name)]));
  const keyFile = found.get("keyFile");
  if (typeof keyFile?.value === "string") {
    const isOverruled = (found.get("key")?.rank ?? 3) <= keyFile.rank;
    if (isOverruled) found.set("keyFile", undefined);
    else found.set("key", { ...keyFile, value: readKeyFile(keyFile.value, { origin: keyFile.origin, platform }) });
  }
  if (found.get("clientVersion") === undefined) {
    const seen = findClientVersion({ env, platform, homeDirectory }, home);
    if (seen !== undefined) found.set("clientVersion", { ...seen, rank: 3 });
  }
  const settings = check(found);
  settings.stateFolder ??= join(home, "state");
  settings.modelsFile ??= join(home, "models.json");
  settings.credentialsFile ??= join(home, "credentials.json");
  return { settings, origins: originsOf(found), configFile };
}

function check(found: ReadonlyMap<SettingName, Found | undefined>): Settings {
  const problems: string[] = [];
  const entries = settingNames.map((name) => {
    const spec: SettingSpec<unknown> = schema[name];
    const candidate = found.get(name);
    if (candidate === undefined) return [name, spec.default];
    const result = spec.schema().safeParse(candidate.value);
    if (!result.success) {
      const must = result.error.issues[0]?.message ?? "something else";
      const shown = spec.isSecret || spec.isFileOnly ? "" : `, not ${JSON.stringify(candidate.value)}`;
      problems.push(`${candidate.origin} must be ${must}${shown}.`);
    }
    return [name, result.data];
  });
  if (problems.length > 0) throw new SettingsError(problems.join("\n"));
  // Each value has passed the schema of its own name.
  return Object.fromEntries(entries) as Settings;
}

function originsOf(found: ReadonlyMap<SettingName, Found | undefined>): LoadedSettings["origins"] {
  return Object.fromEntries([...found].flatMap(([name, each]) => (each === undefined ? [] : [[name, each.origin]])));
}

/**
 * The gateway key in a file. A file that every user of the machine can read is refused, as ssh refuses such a private key:
 * a warning would be seen once and then live on with a key that protects nothing.
 */
function readKeyFile(path: string, { origin, platform }: { origin: string; platform: NodeJS.Platform }): string {
  let key: string;
  let mode: number;
  try {
    ({ mode } = statSync(path));
    key = readFileSync(path, "utf8").trim();
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : thrown;
    throw new SettingsError(`${origin} names ${path}, which cannot be read (${String(code)}).`, { cause: thrown });
  }
  // Windows keeps its permissions elsewhere; the mode says nothing there.
  if (platform !== "win32" && (mode & READABLE_BY_OTHERS) !== 0) {
    throw new SettingsError(
      `${origin} names ${path}, which every user of this machine can read. Run: chmod 600 ${path}`,
    );
  }
  return key;
}
