import { realpathSync } from "node:fs";
import { relative } from "node:path";
import type { Machine } from "../../config/machine.js";
import { unlessMissing } from "../../unless-missing.js";
import { findCommand } from "../terminal/find-command.js";

interface Started {
  readonly machine: Machine;
  /** The file that runs. */
  readonly main: string;
  readonly folder: string;
}

/** How this program is called on a command line: `curlew` if that is this one, else the file as it can be started from this folder. */
export function ownCommand({ machine, main, folder }: Started): string {
  const real = unlessMissing(() => realpathSync(main)) ?? main;
  const found = findCommand("curlew", machine);
  // On Windows, the command is a script that starts the file.
  const isFound = found !== undefined && (machine.platform === "win32" || realpathSync(found) === real);
  if (isFound) return "curlew";
  if (/[\\/]node_modules[\\/]/.test(real)) return "npx curlew";
  const near = relative(folder, real);
  const path = near.startsWith("..") ? real : near;
  return `node ${/^[\w./\\:-]+$/.test(path) ? path : JSON.stringify(path)}`;
}
