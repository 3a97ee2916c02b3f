import { isAbsolute, join } from "node:path";
import { configDirectory, type Machine, NO_HOME } from "./machine.js";
import { SettingsError } from "./settings-error.js";

export interface Places {
  /** What the owner says: settings, credential, keys, limits. */
  readonly config: string;
  /** What a restart must not lose: conversations, the ledger, records of setups. */
  readonly state: string;
  /** What can be asked for again. */
  readonly cache: string;
}

type StateName = "state" | "ledger" | "run" | "setup" | "page.secret";

/** Where this system expects the files of a program, or all in `CURLEW_HOME`. */
export function placesOf(machine: Machine): Places {
  const { env, platform, homeDirectory } = machine;
  const config = configDirectory(machine);
  if (env.CURLEW_HOME) return placesIn(config);
  if (homeDirectory === NO_HOME) {
    throw new SettingsError("This user has no home folder. Set CURLEW_HOME to a folder for Curlew's files.");
  }
  const local = join(env.LOCALAPPDATA || join(homeDirectory, "AppData", "Local"), "curlew");
  switch (platform) {
    case "win32":
      return { config, state: local, cache: join(local, "cache") };
    case "darwin":
      return { config, state: config, cache: join(homeDirectory, "Library", "Caches", "curlew") };
    default: {
      const state = join(absolute(env.XDG_STATE_HOME) ?? join(homeDirectory, ".local", "state"), "curlew");
      const cache = join(absolute(env.XDG_CACHE_HOME) ?? join(homeDirectory, ".cache"), "curlew");
      return { config, state, cache };
    }
  }
}

/** Where a service logs to; undefined where the system keeps its logs. */
export function serviceLog({ env, platform, homeDirectory }: Machine): string | undefined {
  if (platform === "darwin") return join(homeDirectory, "Library", "Logs", "curlew.log");
  if (platform !== "win32") return undefined;
  return join(env.LOCALAPPDATA || join(homeDirectory, "AppData", "Local"), "curlew", "curlew.log");
}

export function placesIn(folder: string): Places {
  return { config: folder, state: folder, cache: folder };
}

export function statePath({ state }: Places, name: StateName): string {
  return join(state, name);
}

export function cachePath({ cache }: Places, name: string): string {
  return join(cache, name);
}

/** The specification wants relative paths to be ignored. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
