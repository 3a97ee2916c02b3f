import { randomBytes } from "node:crypto";
import { readPrivateFile, writePrivateFile } from "../auth/stores/private-file.js";

/** The same at every start: conversations belong to the key that they were begun with. */
export function ownKey(file: string): string {
  const kept = readPrivateFile(file, process.platform);
  // One that others may have read is none.
  if (kept !== undefined && !kept.isOpen && kept.text.trim() !== "") return kept.text.trim();
  const key = randomBytes(24).toString("base64url");
  writePrivateFile(file, `${key}\n`);
  return key;
}
