import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The program in the PATH, or else Debian's package of the same name, which is then installed with what it needs. */
export async function findProgram(name: string): Promise<string> {
  const found = inPath(name);
  if (found !== undefined) return found;
  await installPackage(name);
  const installed = inPath(name);
  if (installed === undefined) throw new Error(`Debian's package ${name} is installed, but has no program ${name}.`);
  return installed;
}

function inPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

async function installPackage(name: string): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const install = () =>
    run("apt-get", ["install", "--yes", "--no-install-recommends", name], { env, maxBuffer: 16 * 1_048_576 });
  try {
    // A new container has no lists of packages yet.
    await install().catch(() => run("apt-get", ["update"]).then(install));
  } catch (thrown) {
    const what = `${name} is missing. Install Debian's package: apt-get install --no-install-recommends ${name}`;
    throw new Error(what, { cause: thrown });
  }
}
