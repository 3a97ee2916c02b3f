import { spawn } from "node:child_process";

/** Signals a process and all that it started. False when nobody is left. */
export function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  if (process.platform === "win32") return killTree(pid);
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false; // nobody there, or nobody that we may signal
  }
}

export function isGroupAlive(pid: number): boolean {
  if (process.platform === "win32") return false; // what is left there has no group to be found by
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Windows has neither groups nor a request to end: the tree is ended at once. */
function killTree(pid: number): boolean {
  spawn("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true }).on("error", () => {});
  return true;
}
