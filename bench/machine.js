import { execFileSync } from "node:child_process";
import { cpus, loadavg, release, totalmem } from "node:os";

/** The machine of a run, so that only comparable figures are compared. */
export function describeMachine() {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    loadBefore: Number(loadavg()[0].toFixed(1)),
  };
}

/** The commit of a checkout, marked when it has local changes. */
export function commitOf(checkout) {
  const git = (...args) => execFileSync("git", ["-C", checkout, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
  try {
    const changed = git("status", "--porcelain", "--", "packages", "package-lock.json") !== "";
    return git("rev-parse", "--short", "HEAD") + (changed ? " and changes" : "");
  } catch {
    return "not a checkout";
  }
}
