import { resolve } from "node:path";
import { localFolder, type Machine, NO_HOME, settingsFolder } from "@curlew/gateway/system/machine.js";
import { settingNames, settingsTable, variablesOf } from "../config/table.js";
import { CommandFailure } from "../terminal/print.js";
import { launchdService } from "./launchd.js";
import type { Service, ServiceProgram } from "./service.js";
import { systemdService } from "./systemd.js";
import { windowsService } from "./windows-task.js";

export function serviceFor(program: ServiceProgram, machine: Machine & { readonly userId: number }): Service {
  const { env, platform, homeDirectory, userId } = machine;
  const byOther = "Have your system's own supervisor run: curlew serve";
  if (homeDirectory === NO_HOME) {
    throw new CommandFailure(1, `This user has no home folder for the files of a service. ${byOther}`);
  }
  switch (platform) {
    case "linux":
      return systemdService(program, settingsFolder(machine));
    case "darwin":
      return launchdService(program, homeDirectory, userId);
    case "win32":
      return windowsService(program, localFolder(machine), [env.USERDOMAIN, env.USERNAME].filter(Boolean).join("\\"));
    default:
      throw new CommandFailure(1, `Curlew cannot install services on ${platform}. ${byOther}`);
  }
}

/** Not settings: they locate files, programs and certificates. */
const alsoCarried = ["CURLEW_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "NODE_EXTRA_CA_CERTS"];

/** The part of this environment that a service gets; it would inherit none of it otherwise. */
export function serviceEnvironment({ env, platform }: Machine) {
  const variables = (isSecret: boolean) =>
    settingNames
      .filter((name) => (settingsTable[name].isSecret === true) === isSecret)
      .flatMap((name) => variablesOf(name, settingsTable[name]));
  const mayHoldPassword = new Set(variablesOf("proxy", settingsTable.proxy));
  // Windows gives tasks the user's own PATH; systemd and launchd give one without the folders of Node version managers.
  const path = platform === "win32" ? [] : ["PATH"];

  const isSet = (name: string) => Boolean(env[name]);
  const isHarmless = (name: string) => mayHoldPassword.has(name) && !env[name]?.includes("@");
  const secrets = variables(true).filter(isSet);
  const names = [...path, ...alsoCarried, ...variables(false), ...secrets.filter(isHarmless)].filter(isSet);
  // A service does not start in this folder.
  const fromAnywhere = (name: string, value = "") => (/_(HOME|FILE|FOLDER|CERTS)$/.test(name) ? resolve(value) : value);
  return {
    carried: Object.fromEntries(names.map((name) => [name, fromAnywhere(name, env[name])])),
    // Names of variables that are set but hold secrets.
    leftOut: secrets.filter((name) => !isHarmless(name)),
  };
}
