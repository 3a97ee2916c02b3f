import { dirname, join, resolve } from "node:path";
import {
  type CursorProfile,
  type LoadedProfile,
  loadProfile,
  ProfileError,
} from "@curlew/gateway/backends/profile/index.js";
import { type Machine, thisMachine } from "@curlew/gateway/system/machine.js";
import { checkValue, ENVIRONMENT, nameOf, nameWithValue, originOf, type Source } from "./check-value.js";
import { findClientVersion, isNewer } from "./client-version.js";
import { conductWarnings } from "./constants.js";
import { placesIn, placesOf, statePath } from "./places.js";
import { flagName, type Setting, variablesOf } from "./setting.js";
import type { SettingName, Settings } from "./settings.js";
import { SettingsError, type SettingsFault } from "./settings-error.js";
import { readKeyFile, readSettingsFile, strangeNames } from "./settings-file.js";
import { settingNames, settingsTable } from "./table.js";

export interface SettingsSources extends Partial<Machine> {
  /** Values from the command line or the embedding program. Texts are parsed like those of a flag. */
  readonly given?: Readonly<Partial<Record<string, unknown>>>;
  /** How a message names a given value; by default as a flag. */
  readonly callGiven?: (name: string) => string;
  readonly givenOnly?: readonly SettingName[];
  readonly configFile?: string | undefined;
  /** Overrides `CURLEW_HOME`. */
  readonly home?: string | undefined;
  /** Origins of variables loaded from a file, such as `.env:3`. */
  readonly variablePlaces?: ReadonlyMap<string, string> | undefined;
}

type BySetting = { readonly [Name in SettingName]?: string };

export type LoadedSettings = ReturnType<typeof loadSettings>;

interface Found {
  readonly value: unknown;
  readonly source: Source;
  /** The lowest wins. */
  readonly rank: number;
}

type Candidates = Map<SettingName, Found | undefined>;

/** Flags override the environment, which overrides curlew.json. Throws a SettingsError that names every bad value. */
export function loadSettings(sources: SettingsSources = {}) {
  const { given = {}, callGiven = (name: string) => `--${flagName(name)}` } = sources;
  const { env, platform, homeDirectory } = { ...thisMachine(), ...sources };
  const machine: Machine = { env, platform, homeDirectory };
  const places = sources.home === undefined ? placesOf(machine) : placesIn(sources.home);
  const home = places.config;
  const configFile = sources.configFile === undefined ? join(home, "curlew.json") : resolve(sources.configFile);
  const file = readSettingsFile(configFile, { mustExist: sources.configFile !== undefined });
  const { profile, overlay } = readProfile(home);

  const find = (name: string, variables: readonly string[]): Found | undefined => {
    if (given[name] !== undefined) {
      return { value: given[name], source: { kind: "given", name: callGiven(name) }, rank: 0 };
    }
    // Shells and containers leave empty variables behind, so these count as unset.
    const isOwn = (each: string) => env[each] && !sources.variablePlaces?.has(each);
    const variable = variables.find(isOwn) ?? variables.find((each) => env[each]);
    if (variable !== undefined) {
      const place = sources.variablePlaces?.get(variable) ?? ENVIRONMENT;
      return { value: env[variable], source: { kind: "variable", variable, place }, rank: 1 };
    }
    if (file === undefined || file.values[name] === undefined) return undefined;
    return { value: file.values[name], source: { kind: "file", file, name }, rank: 2 };
  };

  const faults: SettingsFault[] = file === undefined ? [] : strangeNames(file);
  const found: Candidates = new Map(
    settingNames.map((name) => {
      if (given[name] === undefined && sources.givenOnly?.includes(name)) return [name, undefined];
      return [name, find(name, variablesOf(name, settingsTable[name]))];
    }),
  );
  faults.push(...takeKeyFile(found, configFile, platform));
  for (const [name, value] of settingsOfProfile(profile)) {
    const isChanged = overlay !== undefined && value !== settingsTable[name].default;
    if (!isChanged || found.get(name) !== undefined) continue;
    found.set(name, { value, source: { kind: "given", name: overlay.path }, rank: 3 });
  }
  const version = found.get("clientVersion");
  if (version === undefined || version.rank === 3) {
    // An overlay goes out of date, while the CLI updates itself.
    const seen = findClientVersion(machine);
    const isBetter = seen !== undefined && (version === undefined || isNewer(seen.value, String(version.value)));
    if (isBetter) {
      found.set("clientVersion", { value: seen.value, source: { kind: "given", name: seen.origin }, rank: 3 });
    }
  }
  const values = settingNames.map((name) => {
    const candidate = found.get(name);
    if (candidate === undefined) return [name, settingsTable[name].default];
    const result = checkValue(settingsTable[name], { name, ...candidate });
    faults.push(...result.faults);
    return [name, result.value];
  });
  // Faults in the file are in the order of their lines.
  const byPlace = (a: SettingsFault, b: SettingsFault) =>
    (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
  if (faults.length > 0) throw new SettingsError(faults.toSorted(byPlace));
  // Each value has passed the type of its own name.
  const settings = { ...Object.fromEntries(values), home, places, machine, profile } as Settings;
  settings.stateFolder ??= statePath(places, "state");
  const names = forEach(found, ({ source }) => nameOf(source));
  return {
    settings,
    // Where a value came from, in words; undefined for a default.
    origins: forEach(found, ({ source }) => originOf(source)),
    // How a message about a value names it, such as `HOST=mymac (environment)`; undefined for a default.
    named: forEach(found, ({ source, value }, { isSecret }) =>
      isSecret ? nameOf(source) : nameWithValue(source, value),
    ),
    configFile,
    // The owner's overlay of the Cursor profile, if there is one.
    overlay,
    // Settings that are set but overridden, each as a sentence without its value.
    warnings: conductWarnings(settings, names),
  };
}

function takeKeyFile(found: Candidates, configFile: string, platform: NodeJS.Platform): SettingsFault[] {
  const keyFile = found.get("keyFile");
  if (typeof keyFile?.value !== "string") return [];
  if ((found.get("key")?.rank ?? 3) <= keyFile.rank) {
    found.set("keyFile", undefined);
    return [];
  }
  const path = keyFile.rank === 2 ? resolve(dirname(configFile), keyFile.value) : keyFile.value;
  found.set("keyFile", { ...keyFile, value: path });
  const read = readKeyFile(path, nameOf(keyFile.source), platform);
  if (!("key" in read)) return [read];
  found.set("key", { ...keyFile, value: read.key });
  return [];
}

function readProfile(home: string): LoadedProfile {
  try {
    return loadProfile(home);
  } catch (thrown) {
    if (thrown instanceof ProfileError) throw new SettingsError(thrown.message, { cause: thrown });
    throw thrown;
  }
}

function settingsOfProfile({ hosts, clients, agentClient }: CursorProfile) {
  return [
    ["backendUrl", hosts.api],
    ["websiteUrl", hosts.website],
    ["clientVersion", clients[agentClient].version],
  ] as const;
}

function forEach(found: Candidates, text: (each: Found, setting: Setting<unknown>) => string): BySetting {
  return Object.fromEntries(
    [...found].flatMap(([name, each]) => (each === undefined ? [] : [[name, text(each, settingsTable[name])]])),
  );
}
