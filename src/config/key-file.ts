import { readFileSync, statSync } from "node:fs";
import type { SettingsFault } from "./settings-error.js";

const READABLE_BY_OTHERS = 0o004;

/**
 * The gateway key in a file. A file that every user of the machine can read is refused, as ssh refuses such a private key:
 * a warning would be seen once and then live on with a key that protects nothing.
 *
 * @param name how a message names the setting
 */
export function readKeyFile(
  path: string,
  { name, platform }: { readonly name: string; readonly platform: NodeJS.Platform },
): { readonly key: string } | SettingsFault {
  let key: string;
  let mode: number;
  try {
    ({ mode } = statSync(path));
    key = readFileSync(path, "utf8").trim();
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : thrown;
    return { message: `${name} names ${path}, which cannot be read (${String(code)}).`, setting: "keyFile" };
  }
  // Windows keeps its permissions elsewhere; the mode says nothing there.
  if (platform !== "win32" && (mode & READABLE_BY_OTHERS) !== 0) {
    const message = `${name} names ${path}, which every user of this machine can read. Run: chmod 600 ${path}`;
    return { message, setting: "keyFile" };
  }
  return { key };
}
