import { accountSettings } from "./account-settings.js";
import { backendSettings, networkSettings } from "./backend-settings.js";
import { modelSettings, timeAndStorageSettings } from "./conversation-settings.js";
import { serverSettings } from "./server-settings.js";

export { flagName, type Setting, type SettingsTable, settingsWithFlag, variablesOf } from "./setting.js";

/** Types, flags, help, completion, the settings page and the JSON Schema come from this table: a new setting is one entry. */
export const settingsTable = {
  ...serverSettings,
  ...accountSettings,
  ...backendSettings,
  ...networkSettings,
  ...modelSettings,
  ...timeAndStorageSettings,
};

export type SettingName = keyof typeof settingsTable;

export const settingNames = Object.keys(settingsTable) as SettingName[];

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settingsTable, name);
}
