import { didYouMean } from "../closest.js";
import { isFormerSetting } from "./former-settings.js";
import { type JsonText, readJsonText } from "./json-text.js";
import { readBounded } from "./read-bounded.js";
import { SettingsError, type SettingsFault } from "./settings-error.js";
import { isSettingName, settingNames, settingsTable, variablesOf } from "./table.js";

/** Editors find the JSON Schema of the file by this key. */
export const SCHEMA_KEY = "$schema";

/** No file of settings is nearly as large. */
const MAX_BYTES = 1024 * 1024;

export interface SettingsFile {
  readonly path: string;
  readonly text: JsonText;
  /** Not checked yet. */
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Reads curlew.json; undefined if there is none and none must be there.
 * @throws SettingsError when it cannot be read, or is no JSON object
 */
export function readSettingsFile(path: string, { mustExist }: { mustExist: boolean }): SettingsFile | undefined {
  const content = readText(path, mustExist);
  return content === undefined ? undefined : parseSettingsFile(path, content);
}

/** @throws SettingsError when the text is no JSON object */
export function parseSettingsFile(path: string, content: string): SettingsFile {
  const text = readJsonText(content);
  if ("what" in text) {
    const { line, column, what } = text;
    throw new SettingsError([{ message: `${path}:${line}:${column}: ${what}.`, file: path, line, column }]);
  }
  const { value } = text;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const message = `${path} must hold one JSON object, such as {"port": 32124}.`;
    throw new SettingsError([{ message, file: path, ...text.positionOf([]) }]);
  }
  return { path, text, values: Object.assign(Object.create(null), value) };
}

/** A fault for every name that cannot stand in the file. */
export function strangeNames({ path, text, values }: SettingsFile): SettingsFault[] {
  return Object.keys(values).flatMap((name) => {
    const problem = problemWith(name);
    if (problem === undefined) return [];
    const { line, column } = text.nameOf([name]);
    return [{ message: `${path}:${line}:${column}: ${problem}`, setting: name, file: path, line, column }];
  });
}

function problemWith(name: string): string | undefined {
  if (name === SCHEMA_KEY || isFormerSetting(name)) return undefined;
  const names = settingNames.filter((each) => settingsTable[each].only !== "environment");
  if (!isSettingName(name)) {
    const hint = didYouMean(name, names) || ` The settings are: ${names.join(", ")}.`;
    return `${name} is not a setting.${hint}`;
  }
  const { only, isSecret } = settingsTable[name];
  if (only !== "environment") return undefined;
  const [variable] = variablesOf(name, settingsTable[name]);
  const why = isSecret ? "is a secret and must not stand in this file" : "cannot stand in this file";
  return `${name} ${why}; set ${variable} instead.`;
}

function readText(path: string, mustExist: boolean): string | undefined {
  try {
    return readBounded(path, MAX_BYTES);
  } catch (thrown) {
    if (thrown instanceof SettingsError) throw thrown;
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
    if (!mustExist && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    throw new SettingsError(
      code === "ENOENT" ? `${path} does not exist.` : `${path} cannot be read (${String(code ?? thrown)}).`,
      { cause: thrown },
    );
  }
}
