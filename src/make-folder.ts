import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * A folder for its owner alone, with the folders above it. Node's own recursive way tries for ever where a folder is there and
 * none can be made in it, as in /proc.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    if (!isFolder(path)) throw thrown; // else another process was faster
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
