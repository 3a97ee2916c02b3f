import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Machine } from "../../config/machine.js";

/** The path of a program of this name on the PATH; undefined if there is none. */
export function findCommand(name: string, { env, platform }: Machine): string | undefined {
  const endings = platform === "win32" ? (env.PATHEXT ?? ".EXE;.CMD;.BAT").split(";") : [""];
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.flatMap((folder) => endings.map((ending) => join(folder, `${name}${ending}`))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
