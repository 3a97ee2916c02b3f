import { readFileSync, statSync } from "node:fs";
import { SettingsError } from "./settings-error.js";

const READABLE_BY_OTHERS = 0o004;

/**
 * The gateway key in a file. A file that every user of the machine can read is refused, as ssh refuses such a private key:
 * a warning would be seen once and then live on with a key that protects nothing.
 */
export function readKeyFile(path: string, { origin, platform }: { origin: string; platform: NodeJS.Platform }): string {
  let key: string;
  let mode: number;
  try {
    ({ mode } = statSync(path));
    key = readFileSync(path, "utf8").trim();
  } catch (thrown) {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : thrown;
    throw new SettingsError(`${origin} names ${path}, which cannot be read (${String(code)}).`, { cause: thrown });
  }
  // Windows keeps its permissions elsewhere; the mode says nothing there.
  if (platform !== "win32" && (mode & READABLE_BY_OTHERS) !== 0) {
    throw new SettingsError(
      `${origin} names ${path}, which every user of this machine can read. Run: chmod 600 ${path}`,
    );
  }
  return key;
}
