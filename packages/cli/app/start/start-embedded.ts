import { didYouMean } from "@curlew/gateway/system/closest.js";
import type { Constants } from "../../config/constants.js";
import { type LoadedSettings, loadSettings } from "../../config/load.js";
import { SettingsError } from "../../config/settings-error.js";
import { settingNames } from "../../config/table.js";
import type { GatewayOptions } from "../gateway-options.js";
import { startServer } from "./start-server.js";

/** `startGateway`, plus constants for tests. @throws {SettingsError | StartError} */
export async function startEmbedded(options: GatewayOptions, constants?: Partial<Constants>) {
  const { settings, warnings, named } = settingsOf(options);
  const server = await startServer(settings, { warnings, named, constants, logStream: process.stderr });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= server.stop(new AbortController().signal);
    return closing;
  };
  await server.ready.catch(async (failure: unknown) => {
    await close();
    throw failure;
  });
  return { url: server.url, baseURL: server.url, close, stop: close };
}

const otherOptions = ["home", "configFile", "settings"];
const namedSettings = ["host", "port", "key", "apiKey", "authToken", "backend", "modelAliases", "logLevel"];
const allSettings: readonly string[] = settingNames;

/** All settings; options override every other source. @throws {SettingsError} Names every invalid option. */
function settingsOf({ home, configFile, settings = {}, ...options }: GatewayOptions): LoadedSettings {
  // An untyped program would otherwise never learn that an option is ignored.
  const problems = [
    ...Object.keys(options).flatMap(problemWithOption),
    ...Object.keys(settings)
      .filter((name) => !allSettings.includes(name))
      .map((name) => `options.settings.${name} is not a setting.${didYouMean(name, allSettings)}`),
  ];
  if (problems.length > 0) throw new SettingsError(problems.join("\n"));
  const given = Object.entries({ ...settings, ...options }).filter(([, value]) => value !== undefined);
  return loadSettings({
    given: { port: 0, ...Object.fromEntries(given) },
    givenOnly: ["host", "port"],
    callGiven: (name) => (name in options ? `options.${name}` : `options.settings.${name}`),
    configFile,
    home,
  });
}

function problemWithOption(name: string): string[] {
  if (namedSettings.includes(name)) return [];
  if (allSettings.includes(name)) return [`options.${name} is a setting; put it in options.settings.${name}.`];
  return [`options.${name} is not an option.${didYouMean(name, [...namedSettings, ...otherOptions])}`];
}
