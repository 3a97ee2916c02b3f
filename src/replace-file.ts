import { randomBytes } from "node:crypto";
import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";

const FOR_OWNER_ALONE = 0o600;

/**
 * Replaces a file atomically: readers see the old text or the new text, never a part, also after a power cut. Only the owner can read
 * the file unless `mode` says otherwise, also while it is being written.
 * @throws Error of the file system when it cannot be written
 */
export function replaceFile(path: string, text: string, mode = FOR_OWNER_ALONE): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, text, { mode: FOR_OWNER_ALONE, flag: "wx", flush: true });
    if (mode !== FOR_OWNER_ALONE) chmodSync(draft, mode);
    renameSync(draft, path);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
}
