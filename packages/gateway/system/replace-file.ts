import { randomBytes } from "node:crypto";
import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";

const FOR_OWNER_ALONE = 0o600;

/** Replaces a file atomically, even if the power fails; for its owner alone unless `mode` says otherwise. @throws Error of the file system */
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
