import { homedir } from "node:os";
import { join } from "node:path";

export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** `NO_HOME` if the user has none. */
  readonly homeDirectory: string;
}

export const NO_HOME = "/nonexistent";

export function thisMachine(): Machine {
  const { env, platform } = process;
  try {
    return { env, platform, homeDirectory: homedir() };
  } catch {
    return { env, platform, homeDirectory: NO_HOME }; // in a container, the user id may be unknown
  }
}

/** The folder in which the system's programs keep what a user sets. */
export function settingsFolder({ env, platform, homeDirectory }: Machine): string {
  if (platform === "darwin") return join(homeDirectory, "Library", "Application Support");
  if (platform === "win32") return env.APPDATA || join(homeDirectory, "AppData", "Roaming");
  return env.XDG_CONFIG_HOME || join(homeDirectory, ".config");
}

/** Windows' folder for what a user's other machines need not have. */
export function localFolder({ env, homeDirectory }: Machine): string {
  return env.LOCALAPPDATA || join(homeDirectory, "AppData", "Local");
}
