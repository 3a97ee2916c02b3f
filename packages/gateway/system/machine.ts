import { homedir } from "node:os";

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
