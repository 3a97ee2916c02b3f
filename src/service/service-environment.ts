import { resolve } from "node:path";
import { formerSettings, formerVariables } from "../config/former-settings.js";
import type { Machine } from "../config/machine.js";
import { otlpVariables } from "../config/otlp.js";
import { settingNames, settingsTable, variablesOf } from "../config/table.js";

/** These are not settings: a gateway finds its files, programs and certificates by them. */
const alsoCarried = [
  "CURLEW_HOME",
  "XDG_CONFIG_HOME",
  "XDG_STATE_HOME",
  "XDG_CACHE_HOME",
  "NODE_EXTRA_CA_CERTS",
  ...otlpVariables.plain,
];

/** The part of this environment that a service gets; it would see nothing of it otherwise. */
export function serviceEnvironment({ env, platform }: Machine) {
  const variables = (isSecret: boolean) =>
    settingNames
      .filter((name) => (settingsTable[name].isSecret === true) === isSecret)
      .flatMap((name) => variablesOf(name, settingsTable[name]));
  // Names of the past are read too, or warned of in the log of the service.
  const former = Object.entries(formerSettings).flatMap(([name, each]) => formerVariables(name, each));
  const mayHoldPassword = new Set(variablesOf("proxy", settingsTable.proxy));
  // Windows gives tasks the user's own PATH; systemd and launchd give one without the folders of Node version managers.
  const path = platform === "win32" ? [] : ["PATH"];

  const isSet = (name: string) => Boolean(env[name]);
  const isHarmless = (name: string) => mayHoldPassword.has(name) && !env[name]?.includes("@");
  const secrets = [...variables(true), ...otlpVariables.secret].filter(isSet);
  const names = [...path, ...alsoCarried, ...variables(false), ...former, ...secrets.filter(isHarmless)].filter(isSet);
  return {
    carried: Object.fromEntries(names.map((name) => [name, fromAnywhere(name, env[name] ?? "")])),
    // Names of variables that are set but hold secrets.
    leftOut: secrets.filter((name) => !isHarmless(name)),
  };
}

/** A service does not start in this folder. */
function fromAnywhere(name: string, value: string): string {
  return /_(HOME|FILE|FOLDER|CERTS)$/.test(name) ? resolve(value) : value;
}
