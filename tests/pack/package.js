// Packs the project with npm, and installs the archive.
import { execFile } from "node:child_process";
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const YEARS_AGO = new Date("2001-02-03T04:05:06Z");
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Packs an unbuilt copy, like a new clone. */
export async function packPackage(folder) {
  const copy = join(folder, "unbuilt");
  copySources(copy);
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return await pack(copy, folder, "022");
}

/** Packs in another environment: another folder, own libraries, other times, private files. */
export async function packElsewhere(folder) {
  const elsewhere = join(folder, "another", "place");
  const copy = join(elsewhere, "a clone");
  mkdirSync(elsewhere, { recursive: true });
  copySources(copy);
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    chmodSync(path, entry.isDirectory() ? 0o700 : 0o600);
    utimesSync(path, YEARS_AGO, YEARS_AGO);
  }
  await copyLibraries(copy);
  return await pack(copy, elsewhere, "077", { TZ: "Asia/Tokyo", LC_ALL: "C" });
}

function copySources(copy) {
  const isSource = (path) => !/^(node_modules|dist|\.git)$/.test(relative(root, path));
  cpSync(root, copy, { recursive: true, filter: isSource });
}

/** Uses hard links where possible, since the libraries are large. */
async function copyLibraries(copy) {
  const copying = (options) => run("cp", [options, join(root, "node_modules"), join(copy, "node_modules")]);
  await copying("-RLl").catch(() => copying("-RL"));
}

async function pack(copy, folder, umask, env = {}) {
  const command = 'umask "$1" && exec npm pack --json --pack-destination "$2"';
  const { stdout } = await run("sh", ["-c", command, "sh", umask, folder], {
    cwd: copy,
    env: { ...process.env, ...env },
  });
  const [{ filename, size, unpackedSize }] = JSON.parse(stdout);
  return { file: join(folder, filename), size, unpackedSize };
}

/** Runs npm and everything that it starts on the Node in `bin`. */
export async function installPackage(archive, folder, bin) {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const path = [bin, process.env.PATH].join(delimiter);
  // The npm variables of the current process belong to this project, not to the installation.
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
