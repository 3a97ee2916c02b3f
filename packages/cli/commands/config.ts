import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { overlayPath } from "@curlew/gateway/backends/profile/index.js";
import { shownOn } from "@curlew/gateway/system/shown-on.js";
import { keysFile, ledgerFolder, limitsFile, modelsFile, runFolder } from "../app/prepare/own-files.js";
import { envFileArg, loadFrom, settingArgs, settingsFrom } from "../config/flags.js";
import { loadSettings, type SettingsSources } from "../config/load.js";
import { serviceLog, statePath } from "../config/places.js";
import { SettingsError, type SettingsFault } from "../config/settings-error.js";
import { settingNames, settingsTable, settingsWithFlag } from "../config/table.js";
import type { CommandMachine } from "../terminal/command-machine.js";
import { CommandFailure, colorsFor, report } from "../terminal/print.js";
import { listing, type Row, table } from "../terminal/table.js";
import { set } from "./config/set.js";
import { type ArgDef, type CommandGroup, flag, type Given, subCommand, word } from "./line/definition.js";

const json = flag("Print JSON");
/** As `serve` reads them. */
const sources = { ...asRare(settingArgs(settingsWithFlag(settingsTable))), ...envFileArg } as const;

export const config: CommandGroup = {
  usual: "show",
  subCommands: {
    show: subCommand("Show what is set, and where: file and line, variable or flag", {
      examples: [
        ["curlew config show", "what is set, and where"],
        ["curlew config show --all", "also the defaults"],
      ],
      args: { all: flag("Also settings that are not set, with their defaults"), json, ...sources },
      run: ({ args, machine }) => showSettings(machine, args, args.all === true, args.json === true),
    }),
    path: subCommand("Show where Curlew's files are", {
      examples: [["curlew config path", ""]],
      args: { json, ...settingArgs(["stateFolder"]) },
      run: ({ args, machine }) => showPlaces(machine, args, args.json === true),
    }),
    check: subCommand("Find every mistake in a settings file", {
      examples: [
        ["curlew config check", ""],
        ["curlew config check /etc/curlew/curlew.json", "a file elsewhere"],
      ],
      args: {
        file: word("Instead of the usual settings file, flags and environment"),
        json,
        ...sources,
      },
      run: ({ args, machine }) => check(machine, args, args.file, args.json === true),
    }),
    set: subCommand("Change one setting in the settings file; its comments and layout stay", {
      examples: [
        ["curlew config set port 40000", ""],
        ["curlew config set port --unset", "back to the default"],
      ],
      args: {
        name: { type: "positional", required: true, description: "The setting, such as port" },
        value: word("Its new value, as the flag takes it"),
        unset: flag("Remove the setting from the file"),
        json,
        ...settingArgs([]),
      },
      run({ args, machine }) {
        const { name, value, unset: isUnset = false, json: wantsJson = false } = args;
        if ((value === undefined) === isUnset) return set(machine, args, name, value, wantsJson);
        const use = `curlew config set ${name} VALUE, or curlew config set ${name} --unset`;
        throw new CommandFailure(2, `${isUnset ? "--unset takes no value" : "Missing value"}: ${use}`);
      },
    }),
  },
  examples: [
    ["curlew config set port 40000", "listen on another port from the next start"],
    ["curlew config check", "find mistakes before a start does"],
  ],
};

/** Accepts the flags of all settings, but lists them only in `--help all`. */
function asRare(flags: Readonly<Record<string, ArgDef>>): Record<string, ArgDef> {
  const entries = Object.entries(flags).map(([name, flag]): [string, ArgDef] => {
    return [name, name === "config" ? flag : { ...flag, use: "rare" }];
  });
  return Object.fromEntries(entries);
}

function showPlaces(machine: CommandMachine, args: Given, wantsJson: boolean): number {
  const { settings, configFile } = loadFrom(args, machine);
  const { home, places, stateFolder = statePath(places, "state") } = settings;
  const log = serviceLog(machine);
  const paths = {
    settings: configFile,
    profile: overlayPath(home),
    credentials: join(home, "credentials.json"),
    keys: keysFile(settings),
    limits: limitsFile(settings),
    conversations: stateFolder,
    ledger: ledgerFolder(settings),
    setups: statePath(places, "setup"),
    running: runFolder(settings),
    models: modelsFile(settings, "agent"),
    cache: places.cache,
    ...(log !== undefined && { log }),
  };
  const found = Object.entries(paths).map(([name, path]) => [name, { path, exists: existsSync(path) }] as const);
  const { dim } = colorsFor(machine.stdout, machine.env);
  return report(machine.stdout, Object.fromEntries(found), wantsJson, (shown) => {
    const rows = Object.entries(shown).map(([name, { path, exists }]): Row => {
      return [name, exists ? path : `${path} ${dim("(not created)")}`];
    });
    return listing(rows, 0, dim);
  });
}

function showSettings(machine: CommandMachine, args: Given, wantsAll: boolean, wantsJson: boolean): number {
  const { settings, origins, configFile } = loadFrom(args, machine);
  const shown = settingNames
    .filter((name) => wantsAll || origins[name] !== undefined)
    .map((name) => {
      const value = settings[name];
      const isSecret = settingsTable[name].isSecret === true && origins[name] !== undefined;
      return { name, value: isSecret ? "(hidden)" : (value ?? null), isSecret, origin: origins[name] ?? "default" };
    });
  const { dim } = colorsFor(machine.stdout, machine.env);
  const more = wantsAll ? "" : dim("All settings, with their defaults: curlew config show --all\n");
  return report(machine.stdout, { configFile, settings: shown }, wantsJson, (found) => {
    const rows = found.settings.map(({ name, value, origin }) => [name, asText(value), origin]);
    if (rows.length === 0) return `Nothing is set: every setting has its default.\n${more}`;
    return `${table(["SETTING", "VALUE", "FROM"], rows, { dim })}${more}`;
  });
}

/** As on a command line, or as JSON if there is no simple form. */
function asText(value: unknown): string {
  if (value === null) return "-";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.join(",");
  if (typeof value === "object") return Object.keys(value).length === 0 ? "-" : JSON.stringify(value);
  return String(value);
}

/** Locations of files, which are not settings. */
const ofPlaces = ["CURLEW_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA"];

/** Prints every fault in a settings file, or else in all sources. The exit code is 2 if there is any. */
function check(machine: CommandMachine, args: Given, file: string | undefined, wantsJson: boolean): number {
  const { env, platform, homeDirectory, stderr } = machine;
  const sources = settingsFrom(args, machine);
  const configFile = file === undefined ? sources.configFile : resolve(file);
  const envOfPlaces = Object.fromEntries(ofPlaces.map((name) => [name, env[name]]));
  const alone = { env: envOfPlaces, platform, homeDirectory, configFile };
  // Also reads the file by itself: a bad value that a flag or a variable overrides is still a fault.
  const readings = [read(alone), ...(file === undefined ? [read(sources)] : [])];
  const all = readings.flatMap((each): readonly SettingsFault[] => each.faults);
  const faults = [...new Map(all.map((fault) => [fault.message, fault])).values()];
  const warnings = [...new Set(readings.flatMap((each) => each.warnings))];
  const path = readings[0]?.configFile ?? configFile ?? null;
  if (!wantsJson) for (const each of warnings) stderr.write(`curlew: ${shownOn(stderr, each)}\n`);
  report(machine.stdout, { configFile: path, faults, warnings }, wantsJson, (shown) =>
    faults.length === 0 ? praise(shown.configFile) : shown.faults.map(({ message }) => `${message}\n`).join(""),
  );
  return faults.length === 0 ? 0 : 2;
}

function praise(path: string | null): string {
  if (path === null) return "No mistakes found.\n";
  return existsSync(path)
    ? `No mistakes found in ${path}.\n`
    : `No mistakes found. There is no settings file yet (${path}).\n`;
}

function read(sources: SettingsSources) {
  try {
    const { configFile, warnings } = loadSettings(sources);
    return { configFile, faults: [], warnings };
  } catch (thrown) {
    if (!(thrown instanceof SettingsError)) throw thrown;
    return { configFile: undefined, faults: thrown.faults, warnings: [] };
  }
}
