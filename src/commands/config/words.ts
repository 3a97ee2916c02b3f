import { didYouMean } from "../../closest.js";
import { checkValue } from "../../config/check-value.js";
import { formerSettings, isFormerSetting } from "../../config/former-settings.js";
import {
  flagName,
  isSettingName,
  type SettingName,
  settingNames,
  settingsTable,
  variablesOf,
} from "../../config/table.js";
import { CommandFailure } from "../line/command-failure.js";

/**
 * The setting that a word means: its name, its flag or its variable.
 * @throws {CommandFailure} None has it.
 */
export function settingNamed(word: string): SettingName {
  if (isSettingName(word)) return word;
  const name = settingNames.find((each) => {
    return (
      `--${flagName(each)}` === word || flagName(each) === word || variablesOf(each, settingsTable[each]).includes(word)
    );
  });
  if (name !== undefined) return name;
  if (isFormerSetting(word)) {
    throw new CommandFailure(2, `${word} is no longer a setting: ${formerSettings[word]?.instead}.`);
  }
  const all = "See: curlew config show --all";
  throw new CommandFailure(2, `${word} is not a setting.${didYouMean(word, settingNames)}\n${all}`);
}

/**
 * The JSON value that a text stands for in the file.
 * @throws {CommandFailure} The setting cannot have it.
 */
export function valueFor(name: SettingName, text: string): unknown {
  const setting = settingsTable[name];
  const given = setting.only === "file" ? parsed(name, text) : text;
  const { value, faults } = checkValue(setting, { name, value: given, source: { kind: "given", name } });
  if (faults.length > 0) throw new CommandFailure(2, faults.map(({ message }) => message).join("\n"));
  return value;
}

/** @throws {CommandFailure} The text is no JSON. */
function parsed(name: SettingName, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new CommandFailure(2, `${name} has no simple form: its value must be JSON.`, { cause: thrown });
  }
}
