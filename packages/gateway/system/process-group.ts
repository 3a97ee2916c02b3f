import { spawn } from "node:child_process";

/** Signals a process and everything that it started; signal 0 only checks. Returns false when no process is left. */
export function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  if (process.platform === "win32") {
    // Windows has neither groups nor a polite signal, so the tree is killed at once.
    spawn("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true }).on("error", () => {});
    return true;
  }
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false; // no such process, or we must not signal it
  }
}

export function isGroupAlive(pid: number): boolean {
  if (process.platform === "win32") return false; // there, remaining processes have no group to be found by
  return signalGroup(pid, 0);
}

/** Waits for the end of its input, which comes when our process is gone for any reason, and then ends the group. */
const GUARD_SCRIPT = 'read -r _; kill -TERM "-$1"; sleep 1; kill -KILL "-$1"';

/** Ends a process group when our own process dies without cleaning up, as after kill -9. The returned function cancels this. */
export function endGroupWithUs(pid: number): () => void {
  if (process.platform === "win32") return () => {}; // it has no groups
  const guard = spawn("/bin/sh", ["-c", GUARD_SCRIPT, "sh", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    detached: true, // a signal to our own group must not end it
  });
  guard.on("error", () => {}); // without a shell, only we can end the group
  guard.stdin.on("error", () => {});
  guard.unref();
  return () => void guard.kill("SIGKILL");
}
