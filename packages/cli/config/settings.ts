import type { CursorProfile } from "@curlew/gateway/backends/profile/index.js";
import type { Machine } from "@curlew/gateway/system/machine.js";
import { type Constants, conductLimits, constants, type QuirkSwitches, quirkSwitches } from "./constants.js";
import type { Places } from "./places.js";
import type { Setting, SettingName, settingsTable } from "./table.js";

export type { SettingName } from "./table.js";

type SettingValues = {
  -readonly [Name in SettingName]: (typeof settingsTable)[Name] extends Setting<infer Value> ? Value : never;
};

export interface Settings extends SettingValues {
  /** The folder of curlew.json. Not a setting: `CURLEW_HOME` or the system's conventions decide it. */
  home: string;
  places: Places;
  /** Where they were read: its environment is also that of the programs that a gateway starts. */
  machine: Machine;
  /** What Curlew assumes about Cursor. Not a setting either: the owner's overlay is a file of its own. */
  profile: CursorProfile;
}

export type InnerSettings = Settings & Constants & QuirkSwitches;

export function innerSettings(settings: Settings, changes: Partial<Constants> = {}): InnerSettings {
  const quirks = quirkSwitches(settings.disabledQuirks);
  return { ...settings, ...constants, ...conductLimits(settings), ...changes, ...quirks };
}
