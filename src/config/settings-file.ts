import { readFileSync } from "node:fs";
import { didYouMean } from "../closest.js";
import { schema, settingNames } from "./schema.js";
import type { SettingName } from "./settings.js";
import { SettingsError } from "./settings-error.js";

type FileContent = { readonly [Name in SettingName]?: unknown };

/** The keys of curlew.json; their values are not checked yet. */
export function readSettingsFile(path: string, { mustExist }: { mustExist: boolean }): FileContent {
  const content = readText(path, mustExist);
  if (content === undefined) return {};
  const parsed = parseJson(content, path);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new SettingsError(`${path} must hold one JSON object, such as {"port": 32124}.`);
  }
  const problems = Object.keys(parsed).flatMap((key) => problemWith(key, path));
  if (problems.length > 0) throw new SettingsError(problems.join("\n"));
  return parsed;
}

function problemWith(key: string, path: string): string[] {
  if (!isSettingName(key)) {
    const hint = didYouMean(key, publicNames()) || ` The settings are: ${publicNames().join(", ")}.`;
    return [`${path}: ${key} is not a setting.${hint}`];
  }
  const { isSecret, env } = schema[key];
  return isSecret ? [`${path}: ${key} is a secret and must not stand in this file; set ${env[0]} instead.`] : [];
}

function isSettingName(key: string): key is SettingName {
  return Object.hasOwn(schema, key);
}

function publicNames(): SettingName[] {
  return settingNames.filter((name) => !schema[name].isSecret);
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
