import { readFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { runFolder } from "../../app/prepare/own-files.js";
import { settingsFrom } from "../../config/flags.js";
import { loadSettings } from "../../config/load.js";
import { thisMachine } from "../../config/machine.js";
import { placesOf } from "../../config/places.js";
import { SettingsError } from "../../config/settings-error.js";
import { parseSettingsFile } from "../../config/settings-file.js";
import { type SettingName, settingsTable, variablesOf } from "../../config/table.js";
import { liveGateways } from "../../control/index.js";
import { shownOn } from "../../shown-on.js";
import { unlessMissing } from "../../unless-missing.js";
import { CommandFailure } from "../line/command-failure.js";
import { editSetting, firstText, writeSettings } from "./settings-text.js";
import { settingNamed, valueFor } from "./words.js";

interface SetOptions {
  readonly args: Readonly<Record<string, unknown>>;
  readonly name: string;
  /** Undefined takes the setting out of the file. */
  readonly value: string | undefined;
  readonly wantsJson: boolean;
}

/** Changes one setting in curlew.json, and leaves the rest of the file as it is. */
export async function set({ args, name: given, value: text, wantsJson }: SetOptions): Promise<number> {
  const name = settingNamed(given);
  refuseSecrets(name);
  const value = text === undefined ? undefined : valueFor(name, fromHere(name, text));
  const { path, places } = whereToWrite(args);
  const before = unlessMissing(() => readFileSync(path, "utf8"));
  const start = before?.trim() ? before : firstText(path);
  parseSettingsFile(path, start.replace(/^\uFEFF/, ""));
  const after = editSetting(path, start, name, value);
  if (after !== before && (before !== undefined || value !== undefined)) writeSettings(path, after);
  const effect = {
    ...effectOf(args, name),
    gateways: (await liveGateways(runFolder({ places }))).map(({ url }) => url),
  };
  const { stdout } = process;
  if (wantsJson) stdout.write(`${JSON.stringify({ file: path, name, value: value ?? null, ...effect }, null, 2)}\n`);
  else stdout.write(`${shownOn(stdout, describe(path, name, value, effect))}\n`);
  return 0;
}

interface Effect {
  /** What wins over the file. */
  readonly overruledBy: string | null;
  /** What is wrong with other settings, so that no gateway will start. */
  readonly faults: readonly string[];
  /** Gateways that run, and still have the old value. */
  readonly gateways: readonly string[];
}

function describe(path: string, name: SettingName, value: unknown, effect: Effect): string {
  const { overruledBy, faults, gateways } = effect;
  return [
    value === undefined
      ? `${name} is no longer set in ${path}.`
      : `${name} is now ${typeof value === "string" ? value : JSON.stringify(value)} in ${path}.`,
    ...(overruledBy === null ? [] : [`It has no effect while ${overruledBy} is set, which wins over the file.`]),
    ...(gateways.length === 0 ? ["It takes effect when the gateway next starts."] : []),
    ...gateways.map((url) => `The gateway at ${url} still has the old value: restart it.`),
    ...(faults.length === 0 ? [] : ["Something else must be corrected before a gateway starts:", ...faults]),
  ].join("\n");
}

/** Where the file is, even if it, or something else, cannot be used as it is. */
function whereToWrite(args: Readonly<Record<string, unknown>>) {
  const { configFile } = settingsFrom(args, []);
  const { env, platform, homeDirectory } = thisMachine();
  const places = placesOf({ env, platform, homeDirectory });
  return { path: configFile === undefined ? join(places.config, "curlew.json") : resolve(configFile), places };
}

function effectOf(args: Readonly<Record<string, unknown>>, name: SettingName): Omit<Effect, "gateways"> {
  try {
    const { named, origins } = loadSettings(settingsFrom(args, []));
    const isOverruled = origins[name]?.startsWith("environment variable ") === true;
    return { overruledBy: isOverruled ? (named[name] ?? null) : null, faults: [] };
  } catch (thrown) {
    if (thrown instanceof SettingsError) return { overruledBy: null, faults: thrown.message.split("\n") };
    throw thrown;
  }
}

/** @throws {CommandFailure} The setting may hold a secret, or cannot stand in the file. */
function refuseSecrets(name: SettingName): void {
  const { only, isSecret } = settingsTable[name];
  const [variable] = variablesOf(name, settingsTable[name]);
  if (only === "environment") {
    const why = isSecret ? "is a secret, and settings files get shared" : "is not read from the file";
    throw new CommandFailure(2, `${name} ${why}. Set the variable ${variable} instead.`);
  }
  if (isSecret) {
    const why = "may hold secrets, and everybody on this machine can see a command line";
    throw new CommandFailure(2, `${name} ${why}. Write it into curlew.json by hand: curlew config path`);
  }
}

/** A gateway need not start in this folder, where a relative path would lead elsewhere. */
function fromHere(name: SettingName, text: string): string {
  const isPath = /File$|Folder$/.test(name) || (/Path$/.test(name) && /[\\/]/.test(text));
  return isPath && !isAbsolute(text) ? resolve(text) : text;
}
