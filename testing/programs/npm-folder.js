// Unmodified packages from npm, in their own folder below the system's temporary directory. The folder is kept for the next
// run.
import { execFile } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** By name: parallel tests must not install into one folder at once. */
const folders = new Map();

/**
 * `packages` are installed without their scripts; `prepare` may run those that are needed, with `npm(args, environment)`.
 * `overrides` are versions of their dependencies, for newer ones that are allowed but do not work.
 */
export async function npmFolder(name, packages, prepare = async () => {}, overrides = {}) {
  const before = Promise.resolve(folders.get(name)).catch(() => {});
  const made = before.then(() => install(name, packages, prepare, overrides));
  folders.set(name, made);
  return made;
}

async function install(name, packages, prepare, overrides) {
  const folder = ownFolder(name);
  const done = join(folder, "installed");
  const wanted = JSON.stringify({ packages, overrides });
  if (existsSync(done) && readFileSync(done, "utf8") === wanted) return folder;
  rmSync(folder, { recursive: true, force: true });
  ownFolder(name);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, overrides }));
  const npm = (args, environment) => runNpm(folder, args, environment);
  await npm(["install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages]);
  await prepare(npm, folder);
  writeFileSync(done, wanted);
  return folder;
}

/** The folder in which `node` is the newest Node of this major version that npm has. */
export async function nodeBinFolder(major) {
  const folder = await npmFolder(`node-${major}`, [`${nodePackage()}@${major}`]);
  return join(folder, "node_modules", nodePackage(), "bin");
}

/** The npm package that holds the Node binary for this machine. The npm package `node` would fetch it in an install script. */
export function nodePackage() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const prefix = platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  return `${prefix}-${platform}-${process.arch}`;
}

/** Accepts only our own folder: a folder of another user could hold anything. */
export function ownFolder(name) {
  const folder = join(tmpdir(), `curlew-${name}-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  const isOurs = process.platform === "win32" || (uid === userInfo().uid && (mode & 0o022) === 0);
  if (!isOurs || !lstatSync(folder).isDirectory())
    throw new Error(`${folder} is not a private folder of yours; remove it first.`);
  return folder;
}

async function runNpm(folder, args, environment = {}) {
  // `npm run` passes on the settings of its project, which are not meant for other packages.
  const own = { npm_config_engine_strict: "false", npm_config_loglevel: "error" };
  try {
    await run("npm", args, { cwd: folder, env: { ...process.env, ...own, ...environment }, maxBuffer: 64 * 1_048_576 });
  } catch (failure) {
    throw new Error(`npm ${args.join(" ")} failed in ${folder}:\n${failure.stderr?.slice(-2_000) ?? failure.message}`);
  }
}
