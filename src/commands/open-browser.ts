import { spawn } from "node:child_process";

/** Hands the address to the system's own opener, never through a shell. False when there is none to be had. */
export function openBrowser(url: string, platform: NodeJS.Platform): Promise<boolean> {
  const [program, ...args] = opener(platform);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: "ignore", detached: true, windowsHide: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref(); // the browser lives on when we are done
      resolve(true);
    });
  });
}

function opener(platform: NodeJS.Platform): [program: string, ...args: string[]] {
  switch (platform) {
    case "darwin":
      return ["open"];
    case "win32":
      return ["rundll32", "url.dll,FileProtocolHandler"]; // `start` is a word of the shell
    default:
      return ["xdg-open"];
  }
}
