import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { didYouMean } from "@curlew/gateway/system/closest.js";
import { whileLocked } from "@curlew/gateway/system/file-lock.js";
import { replaceFile } from "@curlew/gateway/system/replace-file.js";
import { shownOn } from "@curlew/gateway/system/shown-on.js";
import { unlessMissing } from "@curlew/gateway/system/unless-missing.js";
import { runFolder } from "../../app/prepare/own-files.js";
import { checkValue } from "../../config/check-value.js";
import { settingsFrom } from "../../config/flags.js";
import { loadSettings } from "../../config/load.js";
import { placesOf } from "../../config/places.js";
import { SettingsError } from "../../config/settings-error.js";
import { parseSettingsFile, SCHEMA_KEY } from "../../config/settings-file.js";
import {
  flagName,
  isSettingName,
  type SettingName,
  settingNames,
  settingsTable,
  variablesOf,
} from "../../config/table.js";
import { liveGateways } from "../../control/running-gateways.js";
import { realFile } from "../../setup/client-file.js";
import { editText, UneditableError } from "../../setup/edited-text.js";
import { json } from "../../setup/formats/json.js";
import { isObject } from "../../setup/merge.js";
import type { CommandMachine } from "../../terminal/command-machine.js";
import { CommandFailure, notWritten, orFail, report } from "../../terminal/print.js";
import type { Given } from "../line/definition.js";

export async function set(
  machine: CommandMachine,
  args: Given,
  given: string,
  text: string | undefined,
  wantsJson: boolean,
): Promise<number> {
  const name = settingNamed(given);
  refuseSecrets(name);
  const value = text === undefined ? undefined : valueFor(name, fromHere(name, text));
  // The location is needed even if the settings are currently invalid.
  const { configFile } = settingsFrom(args, machine);
  const places = placesOf(machine);
  const path = configFile === undefined ? join(places.config, "curlew.json") : resolve(configFile);
  const target = realFile(path);
  await whileLocked(target, () => {
    const before = unlessMissing(() => readFileSync(path, "utf8"));
    const start = before?.trim() ? before : firstText(path);
    parseSettingsFile(path, start.replace(/^\uFEFF/, ""));
    const after = editSetting(path, start, name, value);
    if (after === before || (before === undefined && value === undefined)) return;
    // Keeps the permissions.
    const mode = statSync(target, { throwIfNoEntry: false })?.mode;
    replaceFile(target, after, mode === undefined ? undefined : mode & 0o777);
  }).catch((thrown: unknown) => {
    throw thrown instanceof SettingsError ? thrown : notWritten(path, thrown);
  });
  const gateways = (await liveGateways(runFolder({ places }))).map(({ url }) => url);
  const effect = { ...effectOf(machine, args, name), gateways };
  return report(machine.stdout, { file: path, name, value: value ?? null, ...effect }, wantsJson, () =>
    shownOn(machine.stdout, `${describe(path, name, value, effect)}\n`),
  );
}

/** `gateways` are running, and still have the old value. */
type Effect = ReturnType<typeof effectOf> & { readonly gateways: readonly string[] };

function describe(path: string, name: SettingName, value: unknown, effect: Effect): string {
  const { overruledBy, faults, gateways } = effect;
  return [
    value === undefined
      ? `${name} is no longer set in ${path}.`
      : `${name} is now ${typeof value === "string" ? value : JSON.stringify(value)} in ${path}.`,
    ...(overruledBy === null ? [] : [`It has no effect while ${overruledBy} is set, which overrides the file.`]),
    ...(gateways.length === 0 ? ["It takes effect when the gateway next starts."] : []),
    ...gateways.map((url) => `The gateway at ${url} still has the old value: restart it.`),
    ...(faults.length === 0 ? [] : ["A gateway cannot start until this is fixed:", ...faults]),
  ].join("\n");
}

function effectOf(machine: CommandMachine, args: Given, name: SettingName) {
  try {
    const { named, origins } = loadSettings(settingsFrom(args, machine));
    const isOverruled = origins[name]?.startsWith("environment variable ") === true;
    return { overruledBy: isOverruled ? (named[name] ?? null) : null, faults: [] };
  } catch (thrown) {
    if (thrown instanceof SettingsError) return { overruledBy: null, faults: thrown.message.split("\n") };
    throw thrown;
  }
}

function refuseSecrets(name: SettingName): void {
  const { only, isSecret } = settingsTable[name];
  const [variable] = variablesOf(name, settingsTable[name]);
  if (only === "environment") {
    const why = isSecret ? "is a secret, and settings files get shared" : "is not read from the file";
    throw new CommandFailure(2, `${name} ${why}. Set the variable ${variable} instead.`);
  }
  if (isSecret) {
    const why = "may hold secrets, and other users of this machine can see command lines";
    throw new CommandFailure(2, `${name} ${why}. Write it into curlew.json by hand: curlew config path`);
  }
}

/** Makes paths absolute, because a gateway may start in another folder. */
function fromHere(name: SettingName, text: string): string {
  const isPath = /File$|Folder$/.test(name) || (/Path$/.test(name) && /[\\/]/.test(text));
  return isPath && !isAbsolute(text) ? resolve(text) : text;
}

/** Finds a setting by its name, flag or variable. @throws {CommandFailure} There is none. */
function settingNamed(word: string): SettingName {
  if (isSettingName(word)) return word;
  const name = settingNames.find((each) => {
    const flag = flagName(each);
    return [flag, `--${flag}`, ...variablesOf(each, settingsTable[each])].includes(word);
  });
  if (name !== undefined) return name;
  const all = "See: curlew config show --all";
  throw new CommandFailure(2, `${word} is not a setting.${didYouMean(word, settingNames)}\n${all}`);
}

/** The JSON value for a text. @throws {CommandFailure} The setting does not allow it. */
function valueFor(name: SettingName, text: string): unknown {
  const setting = settingsTable[name];
  const words = () => `${name} has no simple form: its value must be JSON.`;
  const given: unknown = setting.only === "file" ? orFail(() => JSON.parse(text), { exitCode: 2, words }) : text;
  const { value, faults } = checkValue(setting, { name, value: given, source: { kind: "given", name } });
  if (faults.length > 0) throw new CommandFailure(2, faults.map(({ message }) => message).join("\n"));
  return value;
}

function firstText(path: string): string {
  const schema = schemaPath(path);
  return `${JSON.stringify(schema === undefined ? {} : { [SCHEMA_KEY]: schema }, null, 2)}\n`;
}

/** The text with one setting changed or removed. @throws {CommandFailure} It cannot be changed safely. */
function editSetting(path: string, text: string, name: SettingName, value: unknown): string {
  const isSet = (now: unknown) => isObject(now) && Object.hasOwn(now, name);
  const edit = (now: unknown) => (isSet(now) || value !== undefined ? [{ path: [name], value }] : []);
  const words = (why: string) => `${path} was not changed: ${why}. Edit it by hand.`;
  return orFail(() => editText(text, json, edit), { exitCode: 1, kind: UneditableError, words });
}

/** In the package, beside the program. */
const besideUs = import.meta.url.endsWith(".ts") ? "../../../../dist/curlew.schema.json" : "../curlew.schema.json";
const schemaUrl = new URL(besideUs, import.meta.url);

/** The value of `$schema`, so that editors find the schema offline; undefined if the package is temporary, as with npx. */
function schemaPath(settingsFile: string): string | undefined {
  const schema = fileURLToPath(schemaUrl);
  if (!existsSync(schema) || /[\\/]_npx[\\/]/.test(schema)) return undefined;
  const folder = dirname(settingsFile);
  // Editors resolve the path from the file's real location.
  const real = unlessMissing(() => realpathSync(folder)) ?? folder;
  if (parse(real).root !== parse(schema).root) return pathToFileURL(schema).href; // on another drive of Windows
  const path = relative(real, schema).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
}
