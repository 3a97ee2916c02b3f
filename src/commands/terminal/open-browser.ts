import { spawn } from "node:child_process";

const openers: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"], // `start` is a command of the shell
};

/**
 * Passes the address to the system's own opener, never through a shell. False if there is none. Every user of the machine can read the
 * address in the list of processes, so it must hold no secret.
 */
export function openBrowser(url: string, platform: NodeJS.Platform): Promise<boolean> {
  const [program, ...args] = openers[platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true, windowsHide: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref(); // the browser stays open when we are done
      resolve(true);
    });
  });
}
