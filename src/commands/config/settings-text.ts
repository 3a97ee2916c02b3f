import { statSync } from "node:fs";
import { dirname } from "node:path";
import { SCHEMA_KEY } from "../../config/settings-file.js";
import type { SettingName } from "../../config/table.js";
import { makeFolder } from "../../make-folder.js";
import { replaceFile } from "../../replace-file.js";
import { realFile } from "../../setup/client-file.js";
import { editText, UneditableError } from "../../setup/edited-text.js";
import { json } from "../../setup/formats/json.js";
import { CommandFailure } from "../line/command-failure.js";
import { schemaPath } from "./schema-path.js";

/** The text of a new settings file. */
export function firstText(path: string): string {
  const schema = schemaPath(path);
  return `${JSON.stringify(schema === undefined ? {} : { [SCHEMA_KEY]: schema }, null, 2)}\n`;
}

/**
 * The text with one setting changed, or taken out if the value is undefined. All else stays as it is.
 * @throws {CommandFailure} It cannot be changed safely, for example because the setting stands there twice.
 */
export function editSetting(path: string, text: string, name: SettingName, value: unknown): string {
  try {
    return editText(text, json, (now) => (isSet(now, name) || value !== undefined ? [{ path: [name], value }] : []));
  } catch (thrown) {
    if (!(thrown instanceof UneditableError)) throw thrown;
    throw new CommandFailure(1, `${path} was left as it is: ${thrown.message}. Change it by hand.`, { cause: thrown });
  }
}

function isSet(settings: unknown, name: string): boolean {
  return typeof settings === "object" && settings !== null && Object.hasOwn(settings, name);
}

/**
 * Replaces the file at once; a link to it stays a link. Others can read it if they could before.
 * @throws {CommandFailure} It cannot be written.
 */
export function writeSettings(path: string, text: string): void {
  try {
    const target = realFile(path);
    makeFolder(dirname(target));
    const mode = statSync(target, { throwIfNoEntry: false })?.mode;
    replaceFile(target, text, mode === undefined ? undefined : mode & 0o777);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new CommandFailure(1, `${path} cannot be written: ${reason}.`, { cause: thrown });
  }
}
