import { homedir } from "node:os";
import { join } from "node:path";

/** What decides where programs of this system keep their files. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeDirectory: string;
}

export function thisMachine(): Machine {
  return { env: process.env, platform: process.platform, homeDirectory: homedir() };
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
