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
    return { env, platform, homeDirectory: NO_HOME }; // a container may run us as a user that it does not know
  }
}

/** The folder of Curlew's own files: where each system expects them, or all in `CURLEW_HOME`. */
export function configDirectory({ env, platform, homeDirectory }: Machine): string {
  if (env.CURLEW_HOME) return env.CURLEW_HOME;
  switch (platform) {
    case "win32":
      return join(env.APPDATA || join(homeDirectory, "AppData", "Roaming"), "curlew");
    case "darwin":
      return join(homeDirectory, "Library", "Application Support", "curlew");
    default:
      return join(env.XDG_CONFIG_HOME || join(homeDirectory, ".config"), "curlew");
  }
}
