import { resolve } from "node:path";
import type { Machine } from "../config/machine.js";
import { schema, settingNames } from "../config/schema.js";

/** These are not settings: a gateway finds its files, programs and certificates by them. */
const alsoCarried = ["CURLEW_HOME", "XDG_CONFIG_HOME", "NODE_EXTRA_CA_CERTS"];
/** These are secret only if they contain a password. */
const proxies = ["httpsProxy", "httpProxy", "allProxy", "noProxy"] as const;

/** The part of this environment that a service gets; it would see nothing of it otherwise. */
export function serviceEnvironment({ env, platform }: Machine) {
  const variablesOf = (isSecret: boolean) =>
    settingNames.filter((name) => (schema[name].isSecret === true) === isSecret).flatMap((name) => schema[name].env);
  const mayHoldPassword = new Set(proxies.flatMap((name) => schema[name].env));
  // Windows gives tasks the user's own PATH; systemd and launchd give one without the folders of Node version managers.
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
