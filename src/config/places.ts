import { existsSync, readdirSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { unlessMissing } from "../unless-missing.js";
import { configDirectory, type Machine } from "./machine.js";

/** The folders of Curlew's own files. */
export interface Places {
  /** What the owner says: settings, credential, keys, limits. */
  readonly config: string;
  /** What a restart must not lose: conversations, the ledger, records of setups. */
  readonly state: string;
  /** What can be asked for again. */
  readonly cache: string;
}

/** The names of files and folders that are no settings; earlier versions kept them all beside curlew.json. */
export const ownNames = {
  state: ["state", "ledger", "run", "setup", "page.secret"],
  cache: ["client-version", "models.json", "models.sdk.json", "models.cli.json", "models.chat.json"],
} as const;

type StateName = (typeof ownNames.state)[number];

/** Where this system expects the files of a program, or all in `CURLEW_HOME`. */
export function placesOf(machine: Machine): Places {
  const { env, platform, homeDirectory } = machine;
  const config = configDirectory(machine);
  if (env.CURLEW_HOME) return placesIn(config);
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

/** Everything in one folder. */
export function placesIn(folder: string): Places {
  return { config: folder, state: folder, cache: folder };
}

/** Where something of this name is that must not be lost: beside curlew.json as long as it has not been moved from there. */
export function statePath({ config, state }: Places, name: StateName): string {
  return unlessMoved(config, state, name);
}

export function cachePath({ config, cache }: Places, name: string): string {
  return unlessMoved(config, cache, name);
}

function unlessMoved(former: string, folder: string, name: string): string {
  const path = join(folder, name);
  if (former === folder || existsSync(path)) return path;
  return existsSync(join(former, name)) ? join(former, name) : path;
}

/** What an earlier version has left beside curlew.json, or what a move that was interrupted has: `from` may be gone already. */
export function filesToMove(
  places: Places,
): readonly { readonly name: string; readonly from: string; readonly to: string }[] {
  const { config } = places;
  const left = unlessMissing(() => readdirSync(config)) ?? [];
  return (["state", "cache"] as const).flatMap((kind) => {
    if (places[kind] === config) return [];
    const names = ownNames[kind].filter((name) =>
      left.some((each) => each === name || each.startsWith(`${name}.moved-`)),
    );
    return names.map((name) => ({ name, from: join(config, name), to: join(places[kind], name) }));
  });
}

/** The specification wants relative paths to be ignored. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
