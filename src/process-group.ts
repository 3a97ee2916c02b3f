import { spawn } from "node:child_process";

/** Signals a process and all that it started; 0 only asks. False when nobody is left. */
export function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
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
  return signalGroup(pid, 0);
}

/** Windows has neither groups nor a request to end: the tree is ended at once. */
function killTree(pid: number): boolean {
  spawn("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true }).on("error", () => {});
  return true;
}

/**
 * Waits for the end of its input, which comes when the process that holds the other side is gone, however it went; then ends
 * the group, first with a request.
 */
const guardScript = 'read -r _; kill -TERM "-$1"; sleep 1; kill -KILL "-$1"';

/**
 * Has a process group ended when our own process dies without a chance to do it, as by kill -9: not every program ends with its
 * input. The function that is given back calls this off. Windows has no groups, and nothing is done there.
 */
export function endGroupWithUs(pid: number): () => void {
  if (process.platform === "win32") return () => {};
  const guard = spawn("/bin/sh", ["-c", guardScript, "sh", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    detached: true, // what ends our own group must not end it
  });
  guard.on("error", () => {}); // a system without a shell: the group is ended by us alone
  guard.stdin.on("error", () => {});
  guard.unref();
  return () => void guard.kill("SIGKILL");
}
