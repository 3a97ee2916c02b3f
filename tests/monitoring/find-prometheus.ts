import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { ownFolder } from "../../testing/programs/npm-folder.js";

const run = promisify(execFile);

export interface Prometheus {
  readonly prometheus: string;
  readonly promtool: string;
}

/**
 * Prometheus from the PATH, or else Debian's package, unpacked into our own folder: installing it would start a service. The
 * folder is kept for the next run.
 */
export async function findPrometheus(): Promise<Prometheus> {
  const found = (process.env.PATH ?? "").split(delimiter).find((folder) => existsSync(join(folder, "promtool")));
  const bin = found ?? (await unpackPackage());
  return { prometheus: join(bin, "prometheus"), promtool: join(bin, "promtool") };
}

async function unpackPackage(): Promise<string> {
  const folder = ownFolder("prometheus");
  const bin = join(folder, "usr", "bin");
  if (existsSync(join(bin, "promtool"))) return bin;
  try {
    const download = () => run("apt-get", ["download", "prometheus"], { cwd: folder });
    // A new container has no package lists yet.
    await download().catch(() => run("apt-get", ["update"]).then(download));
    const archive = (await readdir(folder)).find((name) => name.endsWith(".deb")) ?? "";
    await run("dpkg", ["-x", archive, folder], { cwd: folder });
  } catch (thrown) {
    const what = "Prometheus is missing. Install Debian's package: apt-get install --no-install-recommends prometheus";
    throw new Error(what, { cause: thrown });
  }
  return bin;
}
