import { chmodSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../../system/make-folder.js";
import { replaceFile } from "../../system/replace-file.js";
import { unlessMissing } from "../../system/unless-missing.js";

const OTHERS = 0o077;

/** Returns undefined for a missing file. @throws the system's error when the file cannot be read. */
export function readPrivateFile(
  path: string,
  platform: NodeJS.Platform,
): { text: string; isOpen: boolean } | undefined {
  return unlessMissing(() => {
    const text = readFileSync(path, "utf8");
    // Windows keeps its permissions elsewhere, so the mode says nothing there.
    return { text, isOpen: platform !== "win32" && (statSync(path).mode & OTHERS) !== 0 };
  });
}

/** Writes the file whole or not at all. Others can never read it. @throws the system's error when it cannot be written. */
export function writePrivateFile(path: string, text: string): void {
  const folder = dirname(path);
  makeFolder(folder);
  chmodSync(folder, 0o700);
  replaceFile(path, text);
}
