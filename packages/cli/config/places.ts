import { isAbsolute, join } from "node:path";
import { localFolder, type Machine, NO_HOME, settingsFolder } from "@curlew/gateway/system/machine.js";
import { SettingsError } from "./settings-error.js";

export interface Places {
  /** What the owner configures: settings, credential, keys, limits. */
  readonly config: string;
  /** What a restart must not lose: conversations, the ledger, records of setups. */
  readonly state: string;
  /** What can be fetched again. */
  readonly cache: string;
}

/** The system's usual folders for a program, or `CURLEW_HOME` for all. */
export function placesOf(machine: Machine): Places {
  const { env, platform, homeDirectory } = machine;
  if (env.CURLEW_HOME) return placesIn(env.CURLEW_HOME);
  if (homeDirectory === NO_HOME) {
    throw new SettingsError("This user has no home folder. Set CURLEW_HOME to a folder for Curlew's files.");
  }
  const config = join(settingsFolder(machine), "curlew");
  const inHome = (...names: string[]) => join(homeDirectory, ...names);
  switch (platform) {
    case "win32": {
      const state = join(localFolder(machine), "curlew");
      return { config, state, cache: join(state, "cache") };
    }
    case "darwin":
      return { config, state: config, cache: inHome("Library", "Caches", "curlew") };
    default:
      return {
        config,
        state: join(absolute(env.XDG_STATE_HOME) ?? inHome(".local", "state"), "curlew"),
        cache: join(absolute(env.XDG_CACHE_HOME) ?? inHome(".cache"), "curlew"),
      };
  }
}

/** The log file of a service; undefined if the system keeps the log. */
export function serviceLog(machine: Machine): string | undefined {
  if (machine.platform === "darwin") return join(machine.homeDirectory, "Library", "Logs", "curlew.log");
  return machine.platform === "win32" ? join(localFolder(machine), "curlew", "curlew.log") : undefined;
}

export function placesIn(folder: string): Places {
  return { config: folder, state: folder, cache: folder };
}

export function statePath({ state }: Places, name: "state" | "ledger" | "run" | "setup" | "page.secret"): string {
  return join(state, name);
}

/** The XDG specification says to ignore relative paths. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
