import { mkdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFolder } from "./make-folder.js";

const LOOK_EVERY_MS = 20;
/** The work takes milliseconds, so an older lock is stale: its process was killed. So is one from the future. */
const STALE_MS = 10_000;

/** Does the work under a lock: a folder beside the file, which only one process can make. */
export async function whileLocked<Result>(path: string, work: () => Result): Promise<Result> {
  const lock = `${path}.lock`;
  makeFolder(dirname(path));
  while (!isMade(lock)) await sleep(LOOK_EVERY_MS);
  try {
    return work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function isMade(lock: string): boolean {
  // One process at a time checks again and removes it: a second one would remove the lock that the first has just made.
  if (isStale(lock) && isMade(`${lock}.lock`)) {
    if (isStale(lock)) rmSync(lock, { recursive: true, force: true });
    rmSync(`${lock}.lock`, { recursive: true, force: true });
  }
  try {
    mkdirSync(lock);
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST") return false;
    throw thrown;
  }
}

function isStale(lock: string): boolean {
  const madeMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  return madeMs !== undefined && Math.abs(Date.now() - madeMs) > STALE_MS;
}
