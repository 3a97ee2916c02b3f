import { closest } from "../closest.js";
import { loadSettings } from "../config/load.js";
import { settingNames } from "../config/schema.js";
import type { SettingName, Settings } from "../config/settings.js";
import { SettingsError } from "../config/settings-error.js";
import type { GatewayOptions } from "./gateway-options.js";

/** Options that are settings. The compiler asks for a line here when there is another. */
type NamedSetting = Exclude<keyof GatewayOptions, "home" | "configFile" | "settings">;

const named: Readonly<Record<NamedSetting, true>> = {
  host: true,
  port: true,
  key: true,
  apiKey: true,
  authToken: true,
  backend: true,
  modelAliases: true,
  logLevel: true,
};

/** All settings, with what the options say first. Throws a SettingsError that names every option that cannot be used. */
export function settingsOf({ home, configFile, settings = {}, ...options }: GatewayOptions): Settings {
  refuseUnknown(options, settings);
  const given = Object.fromEntries(
    Object.entries({ ...settings, ...options }).filter(([, value]) => value !== undefined),
  );
  const loaded = loadSettings({
    given: { port: 0, ...given },
    givenOnly: ["host", "port"],
    callGiven: (name) => (name in options ? `options.${name}` : `options.settings.${name}`),
    configFile,
    home,
  });
  return loaded.settings;
}

/** A program without types would never learn that a name it gives is not read. */
function refuseUnknown(options: object, settings: object): void {
  const problems = [
    ...Object.keys(options).flatMap((name) => problemWithOption(name)),
    ...Object.keys(settings).flatMap((name) => problemWithSetting(name)),
  ];
  if (problems.length > 0) throw new SettingsError(problems.join("\n"));
}

function problemWithOption(name: string): string[] {
  if (Object.hasOwn(named, name)) return [];
  if (isSetting(name)) return [`options.${name} is a setting; say it in options.settings.${name}.`];
  return [
    `options.${name} is not an option.${didYouMean(name, [...Object.keys(named), "home", "configFile", "settings"])}`,
  ];
}

function problemWithSetting(name: string): string[] {
  return isSetting(name) ? [] : [`options.settings.${name} is not a setting.${didYouMean(name, settingNames)}`];
}

function isSetting(name: string): name is SettingName {
  return settingNames.some((each) => each === name);
}

function didYouMean(name: string, names: readonly string[]): string {
  const [near] = closest(name, names);
  return near === undefined ? "" : ` Did you mean ${near}?`;
}
