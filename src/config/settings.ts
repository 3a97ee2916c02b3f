import type { CursorProfile } from "../profile/index.js";
import { type Constants, conductLimits, constants, type QuirkSwitches, quirkSwitches } from "./constants.js";
import type { Places } from "./places.js";
import type { Setting, SettingName, settingsTable } from "./table.js";

export type { SettingName } from "./table.js";

type SettingValues = {
  -readonly [Name in SettingName]: (typeof settingsTable)[Name] extends Setting<infer Value> ? Value : never;
};

export interface Settings extends SettingValues {
  /** The folder of curlew.json. It is no setting: `CURLEW_HOME` names it, or the conventions of the system. */
  home: string;
  places: Places;
  /** What Curlew takes for granted about Cursor. It is no setting either: the owner's overlay is a file of its own. */
  profile: CursorProfile;
}

export type InnerSettings = Settings & Constants & QuirkSwitches;

export function innerSettings(settings: Settings, changes: Partial<Constants> = {}): InnerSettings {
  const quirks = quirkSwitches(settings.disabledQuirks);
  return { ...settings, ...constants, ...conductLimits(settings), ...changes, ...quirks };
}
