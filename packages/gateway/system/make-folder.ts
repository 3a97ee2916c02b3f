import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a folder that only its owner can use, and its parents. @throws Error of the file system */
export function makeFolder(path: string): void {
  // Node's own recursive `mkdir` never returns when a parent exists but takes no folders, as /proc does.
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    if (!isFolder(path)) throw thrown; // otherwise another process has made it
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
