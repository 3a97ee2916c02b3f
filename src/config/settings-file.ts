import { readFileSync } from "node:fs";
import { didYouMean } from "../closest.js";
import { isFormerSetting } from "./former-settings.js";
import { SettingsError } from "./settings-error.js";
import { isSettingName, settingNames, settingsTable, variablesOf } from "./table.js";

/** Editors find the JSON Schema of the file by this key. */
const SCHEMA_KEY = "$schema";

/** The keys of curlew.json; their values are not checked yet. Throws a SettingsError that names every key that cannot stand there. */
export function readSettingsFile(
  path: string,
  { mustExist }: { mustExist: boolean },
): Readonly<Partial<Record<string, unknown>>> {
  const content = readText(path, mustExist);
  if (content === undefined) return {};
  const parsed = parseJson(content, path);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new SettingsError(`${path} must hold one JSON object, such as {"port": 32124}.`);
  }
  const problems = Object.keys(parsed).flatMap((key) => problemWith(key, path));
  if (problems.length > 0) throw new SettingsError(problems.join("\n"));
  return Object.assign(Object.create(null), parsed);
}

function problemWith(key: string, path: string): string[] {
  if (key === SCHEMA_KEY || isFormerSetting(key)) return [];
  const names = settingNames.filter((name) => settingsTable[name].only !== "environment");
  if (!isSettingName(key)) {
    const hint = didYouMean(key, names) || ` The settings are: ${names.join(", ")}.`;
    return [`${path}: ${key} is not a setting.${hint}`];
  }
  const { only, isSecret } = settingsTable[key];
  if (only !== "environment") return [];
  const [variable] = variablesOf(key, settingsTable[key]);
  const why = isSecret ? "is a secret and must not stand in this file" : "cannot stand in this file";
  return [`${path}: ${key} ${why}; set ${variable} instead.`];
}

function readText(path: string, mustExist: boolean): string | undefined {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
    if (!mustExist && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    throw new SettingsError(`${path} cannot be read (${String(code ?? thrown)}).`, { cause: thrown });
  }
}

function parseJson(content: string, path: string): unknown {
  try {
    return JSON.parse(content);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new SettingsError(`${path} is not valid JSON: ${reason}`, { cause: thrown });
  }
}
