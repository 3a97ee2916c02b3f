import { homedir } from "node:os";

/** What other programs' conventions go by. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeDirectory: string;
}

export function thisMachine(): Machine {
  return { env: process.env, platform: process.platform, homeDirectory: homedir() };
}
