import { chmodSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../../make-folder.js";
import { replaceFile } from "../../replace-file.js";

const OTHERS = 0o077;

/** Undefined when there is none. */
export function readPrivateFile(
  path: string,
  platform: NodeJS.Platform,
): { text: string; isOpen: boolean } | undefined {
  try {
    const text = readFileSync(path, "utf8");
    // Windows keeps its permissions elsewhere; the mode says nothing there.
    return { text, isOpen: platform !== "win32" && (statSync(path).mode & OTHERS) !== 0 };
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

/** Whole or not at all, and never readable by others, not even for a moment. */
export function writePrivateFile(path: string, text: string): void {
  const folder = dirname(path);
  makeFolder(folder);
  chmodSync(folder, 0o700);
  replaceFile(path, text);
}

export function removePrivateFile(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch (thrown) {
    if (isMissing(thrown)) return false;
    throw thrown;
  }
}

/** What the system calls it, where that is why a file is not to be had. */
export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "no reason given";
}

function isMissing(thrown: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(codeOf(thrown));
}
