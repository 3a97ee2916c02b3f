// npm's part: an archive of the project, and an installation of that archive.
import { execFile } from "node:child_process";
import { cpSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** From a copy that was never built, as in a new clone. */
export async function packPackage(folder) {
  const copy = join(folder, "unbuilt");
  const isSource = (path) => !/^(node_modules|dist|\.git)$/.test(relative(root, path));
  cpSync(root, copy, { recursive: true, filter: isSource });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: copy });
  const [{ filename, size, unpackedSize }] = JSON.parse(stdout);
  return { file: join(folder, filename), size, unpackedSize };
}

/** Uses only the Node in `bin`, for npm itself and for everything that it starts. */
export async function installPackage(archive, folder, bin) {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const path = [bin, process.env.PATH].join(delimiter);
  // The environment from the npm that runs us belongs to this project, not to the installation.
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_(package|lifecycle)/.test(name));
  const env = { ...Object.fromEntries(inherited), PATH: path };
  try {
    await run("npm", ["install", "--omit=dev", "--no-audit", "--no-fund", archive], { cwd: folder, env });
  } catch (failure) {
    throw new Error(failure.stderr?.slice(-2_000) ?? failure.message, { cause: failure });
  }
  return { folder, node: join(bin, "node"), path, bytes: bytesBelow(join(folder, "node_modules")) };
}

function bytesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => lstatSync(join(folder, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}
