import { randomBytes } from "node:crypto";
import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";

const FOR_OWNER_ALONE = 0o600;

/** Whole or not at all, whoever else reads or writes it meanwhile. Others may read it only if `mode` says so, and not before it is there. */
export function replaceFile(path: string, text: string, mode = FOR_OWNER_ALONE): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeFileSync(draft, text, { mode: FOR_OWNER_ALONE, flag: "wx" });
    if (mode !== FOR_OWNER_ALONE) chmodSync(draft, mode);
    renameSync(draft, path);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
}
