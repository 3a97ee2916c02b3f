import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Machine } from "@curlew/gateway/system/machine.js";

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

const openers: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"], // `start` is a command of the shell
};

/** Passes the address to the system's opener, never through a shell. Every user can read it, so it must hold no secret. */
export function openBrowser(url: string, { env, platform }: Machine): Promise<boolean> {
  const [program, ...args] = openers[platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true, env, windowsHide: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref(); // the browser stays open when we are done
      resolve(true);
    });
  });
}
