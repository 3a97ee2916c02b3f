import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Chromium in the PATH, or else Debian's package, which is then installed: it needs dozens of libraries, so the unpacked package alone
 * would not start.
 */
export async function findChromium(): Promise<string> {
  const found = inPath();
  if (found !== undefined) return found;
  await installPackage();
  const installed = inPath();
  if (installed === undefined)
    throw new Error("Debian's package of Chromium is installed, but has no program chromium.");
  return installed;
}

function inPath(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, "chromium")).find((path) => existsSync(path));
}

async function installPackage(): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const install = () =>
    run("apt-get", ["install", "--yes", "--no-install-recommends", "chromium"], { env, maxBuffer: 16 * 1_048_576 });
  try {
    // A new container has no lists of packages yet.
    await install().catch(() => run("apt-get", ["update"]).then(install));
  } catch (thrown) {
    const what = "There is no Chromium. Install Debian's package: apt-get install --no-install-recommends chromium";
    throw new Error(what, { cause: thrown });
  }
}
