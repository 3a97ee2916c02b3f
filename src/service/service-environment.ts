import { resolve } from "node:path";
import type { Machine } from "../config/machine.js";
import { schema, settingNames } from "../config/schema.js";

/** Not settings, but what a gateway finds its files, programs and certificates by. */
const alsoCarried = ["CURLEW_HOME", "XDG_CONFIG_HOME", "NODE_EXTRA_CA_CERTS"];
/** Secret only where they hold a password. */
const proxies = ["httpsProxy", "httpProxy", "allProxy", "noProxy"] as const;

/** What of this environment goes along with a service, which would see nothing of it otherwise. */
export function serviceEnvironment({ env, platform }: Machine) {
  const variablesOf = (isSecret: boolean) =>
    settingNames.filter((name) => (schema[name].isSecret === true) === isSecret).flatMap((name) => schema[name].env);
  const mayHoldPassword = new Set(proxies.flatMap((name) => schema[name].env));
  // Windows gives its tasks the user's own PATH; systemd and launchd give one where no version manager has a say.
  const path = platform === "win32" ? [] : ["PATH"];

  const isSet = (name: string) => Boolean(env[name]);
  const isHarmless = (name: string) => mayHoldPassword.has(name) && !env[name]?.includes("@");
  const secrets = variablesOf(true).filter(isSet);
  const names = [...path, ...alsoCarried, ...variablesOf(false), ...secrets.filter(isHarmless)].filter(isSet);
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
