import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type CursorProfile, type LoadedProfile, loadProfile, ProfileError } from "../profile/index.js";
import { findClientVersion, isNewer } from "./client-version.js";
import { conductWarnings } from "./conduct.js";
import { formerSettings, formerVariables } from "./former-settings.js";
import { configDirectory, type Machine, thisMachine } from "./machine.js";
import { readOtlpEndpoint, readOtlpSettings } from "./otlp.js";
import { flagName, type Setting, variablesOf } from "./setting.js";
import type { SettingName, Settings } from "./settings.js";
import { SettingsError } from "./settings-error.js";
import { readSettingsFile } from "./settings-file.js";
import { settingNames, settingsTable } from "./table.js";

const READABLE_BY_OTHERS = 0o004;

export interface SettingsSources extends Partial<Machine> {
  /** What the command line, or the program that embeds the gateway, says. Texts are read as those of a flag. */
  readonly given?: Readonly<Partial<Record<string, unknown>>>;
  /** How a message names a given value; by default as a flag. */
  readonly callGiven?: (name: string) => string;
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
  /** The owner's changes to what Curlew takes for granted about Cursor, if there are any. */
  readonly overlay: LoadedProfile["overlay"];
  /** What is set but not used, or under a name of the past, each as a sentence without its value. */
  readonly warnings: readonly string[];
}

interface Found {
  readonly value: unknown;
  readonly origin: string;
  /** The environment variable that it came from. */
  readonly variable?: string;
  readonly rank: number;
}

type Candidates = ReadonlyMap<SettingName, Found | undefined>;

/** Flags win over the environment, the environment over curlew.json. Throws a SettingsError that names every bad value. */
export function loadSettings(sources: SettingsSources = {}): LoadedSettings {
  const { given = {}, callGiven = (name: string) => `--${flagName(name)}` } = sources;
  const { env, platform, homeDirectory } = { ...thisMachine(), ...sources };
  const home = sources.home ?? configDirectory({ env, platform, homeDirectory });
  const configFile = sources.configFile === undefined ? join(home, "curlew.json") : resolve(sources.configFile);
  const file = readSettingsFile(configFile, { mustExist: sources.configFile !== undefined });
  const { profile, overlay } = readProfile(home);

  const find = (name: string, variables: readonly string[]): Found | undefined => {
    if (given[name] !== undefined) return { value: given[name], origin: callGiven(name), rank: 0 };
    // An empty variable is what a shell or a container leaves behind where nothing was meant.
    const variable = variables.find((each) => env[each]);
    if (variable !== undefined) {
      return { value: env[variable], origin: `environment variable ${variable}`, variable, rank: 1 };
    }
    return file[name] === undefined ? undefined : { value: file[name], origin: `${configFile}: ${name}`, rank: 2 };
  };

  const found = new Map(
    settingNames.map((name) => {
      if (given[name] === undefined && sources.givenOnly?.includes(name)) return [name, undefined];
      return [name, find(name, variablesOf(name, settingsTable[name]))];
    }),
  );
  const keyFile = found.get("keyFile");
  if (typeof keyFile?.value === "string") {
    const isOverruled = (found.get("key")?.rank ?? 3) <= keyFile.rank;
    const path = keyFile.rank === 2 ? resolve(dirname(configFile), keyFile.value) : keyFile.value;
    found.set("keyFile", isOverruled ? undefined : { ...keyFile, value: path });
    if (!isOverruled) found.set("key", { ...keyFile, value: readKeyFile(path, { origin: keyFile.origin, platform }) });
  }
  for (const [name, value] of settingsOfProfile(profile)) {
    const isChanged = overlay !== undefined && value !== settingsTable[name].default;
    if (isChanged && found.get(name) === undefined) found.set(name, { value, origin: overlay.path, rank: 3 });
  }
  const version = found.get("clientVersion");
  if (version === undefined || version.rank === 3) {
    // What the owner wrote once goes out of date, and the CLI keeps itself up to date.
    const seen = findClientVersion({ env, platform, homeDirectory }, home);
    const isBetter = seen !== undefined && (version === undefined || isNewer(seen.value, String(version.value)));
    if (isBetter) found.set("clientVersion", { ...seen, rank: 3 });
  }
  const warnings: string[] = [];
  const otlp = found.get("otlpEndpoint");
  if (otlp?.variable !== undefined) {
    const { url, warning } = readOtlpEndpoint(otlp.variable, String(otlp.value), env);
    if (warning !== undefined) warnings.push(warning);
    found.set("otlpEndpoint", url === undefined ? undefined : { ...otlp, value: url });
  }
  const checked = check(found, { home, profile, otlp: readOtlpSettings(env) });
  checked.stateFolder ??= join(home, "state");
  const former = applyFormer(checked, find);
  const origins = { ...former.origins, ...originsOf(found) };
  return {
    settings: former.settings,
    origins,
    configFile,
    overlay,
    warnings: [...new Set([...warnings, ...former.warnings, ...conductWarnings(former.settings, origins)])],
  };
}

/** @throws SettingsError when the overlay cannot be used */
function readProfile(home: string): LoadedProfile {
  try {
    return loadProfile(home);
  } catch (thrown) {
    if (thrown instanceof ProfileError) throw new SettingsError(thrown.message, { cause: thrown });
    throw thrown;
  }
}

/** The settings whose defaults are in the profile. */
function settingsOfProfile({ hosts, clients, agentClient }: CursorProfile) {
  return [
    ["backendUrl", hosts.api],
    ["websiteUrl", hosts.website],
    ["clientVersion", clients[agentClient].version],
  ] as const;
}

/** Reads former settings into their replacements, or ignores them. They never stop a start. */
function applyFormer(settings: Settings, find: (name: string, variables: readonly string[]) => Found | undefined) {
  const warnings: string[] = [];
  let now = settings;
  const origins: Partial<Record<SettingName, string>> = {};
  for (const [name, former] of Object.entries(formerSettings)) {
    const candidate = find(name, formerVariables(name, former));
    if (candidate === undefined) continue;
    const { instead, replacement, isEmbeddedOnly } = former;
    const { origin, value, rank } = candidate;
    // The file never held secrets.
    const mayBeRead = replacement !== undefined && !(isEmbeddedOnly && rank === 2);
    const changed = mayBeRead ? replacement.apply(now, value) : undefined;
    if (replacement === undefined) warnings.push(`${origin} is no longer a setting and is ignored: ${instead}.`);
    else if (changed === undefined) warnings.push(`${origin} cannot be used and is ignored. Its new name: ${instead}.`);
    else warnings.push(`${origin} has a new name: ${instead}. The old name is still read.`);
    if (changed === undefined || replacement === undefined) continue;
    now = changed;
    origins[replacement.name] = origin;
  }
  return { settings: now, origins, warnings };
}

function check(found: Candidates, others: Pick<Settings, "home" | "profile" | "otlp">): Settings {
  const problems: string[] = [];
  const entries = settingNames.map((name) => {
    const setting: Setting<unknown> = settingsTable[name];
    const candidate = found.get(name);
    if (candidate === undefined) return [name, setting.default];
    const result = setting.type().safeParse(candidate.value);
    if (!result.success) {
      const must = result.error.issues[0]?.message ?? "something else";
      const shown = setting.isSecret ? "" : `, not ${JSON.stringify(candidate.value)}`;
      problems.push(`${candidate.origin} must be ${must}${shown}.`);
    }
    return [name, result.data];
  });
  if (problems.length > 0) throw new SettingsError(problems.join("\n"));
  // Each value has passed the type of its own name.
  return { ...Object.fromEntries(entries), ...others } as Settings;
}

function originsOf(found: Candidates): LoadedSettings["origins"] {
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
