// Puts a version of @cursor/sdk, unmodified, into a folder of its own below the system's temporary directory. The folder is
// kept: the next run finds it there.
import { execFile } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const [CURRENT_MAJOR] = process.versions.node.split(".");

/** `nodeMajor` is set for a version that refuses the Node on which everything else here runs. */
export async function installSdk({ version, nodeMajor, hasSqlite }) {
  const folder = ownFolder(version);
  const done = join(folder, "installed");
  const nodeFolder = join(folder, "node_modules", nodePackage());
  if (!existsSync(done)) {
    rmSync(folder, { recursive: true, force: true });
    ownFolder(version);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
    const packages = [`@cursor/sdk@${version}`, `${nodePackage()}@${nodeMajor ?? CURRENT_MAJOR}`];
    await npm(folder, ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages]);
    // Its SQLite is native code: taken ready-made where that can be had, else built. The headers come with the Node package,
    // so that the package registry alone is enough; those of another major version give a binary that crashes.
    if (hasSqlite) await npm(folder, ["rebuild", "sqlite3"], { npm_config_nodedir: nodeFolder });
    writeFileSync(done, "");
  }
  const root = join(folder, "node_modules", "@cursor", "sdk");
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return {
    version,
    module: pathToFileURL(join(root, manifest.exports["."].import)).href,
    node: nodeMajor ? join(nodeFolder, "bin", "node") : process.execPath,
  };
}

/** Only ours: a folder that somebody else put there could hold anything. */
function ownFolder(version) {
  const folder = join(tmpdir(), `curlew-official-sdk-${userInfo().uid}-${version}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  const isOurs = process.platform === "win32" || (uid === userInfo().uid && (mode & 0o022) === 0);
  if (!isOurs || !lstatSync(folder).isDirectory())
    throw new Error(`${folder} belongs to somebody else; remove it first.`);
  return folder;
}

/** Where npm keeps the Node binary for this machine. The npm package `node` would fetch it in an install script. */
function nodePackage() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const prefix = platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node";
  return `${prefix}-${platform}-${process.arch}`;
}

async function npm(folder, args, environment = {}) {
  try {
    await run("npm", args, { cwd: folder, env: { ...process.env, ...environment }, maxBuffer: 64 * 1_048_576 });
  } catch (failure) {
    throw new Error(`npm ${args.join(" ")} failed in ${folder}:\n${failure.stderr?.slice(-2_000) ?? failure.message}`);
  }
}
