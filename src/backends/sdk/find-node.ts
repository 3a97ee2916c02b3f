import { execFile } from "node:child_process";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Machine } from "../../config/machine.js";
import { GatewayError } from "../../turn/error.js";
import { namesIn } from "./stores.js";

/** The oldest version that Cursor's SDK runs on, by its package's `engines`. */
const oldestVersion = [22, 13] as const;
const ASK_MS = 5_000;

type Host = Pick<Machine, "env" | "platform">;

/**
 * Finds a Node that is new enough for the SDK: ours, one on the PATH, or one of a version manager. A Node that is named is the only
 * candidate.
 * @throws GatewayError `server_error` when there is none, with what to do.
 */
export async function findNode(
  node: string | undefined,
  machine: Host,
  own = { path: process.execPath, version: process.versions.node },
): Promise<string> {
  if (node !== undefined) {
    const version = await versionOf(node);
    if (isNewEnough(version)) return node;
    const what = version === "" ? `${node} is no Node that can be started` : `${node} is Node ${version}`;
    throw new GatewayError("server_error", `${what}; Cursor's SDK needs 22.13 or newer.`);
  }
  if (isNewEnough(own.version)) return own.path;
  for (const candidate of [...onPath(machine), ...kept(machine)]) {
    if (isNewEnough(await versionOf(candidate))) return candidate;
  }
  const text =
    `Cursor's SDK needs Node 22.13 or newer; Curlew runs on ${own.version}, and no other was found. ` +
    "Install one and put it on the PATH.";
  throw new GatewayError("server_error", text);
}

async function versionOf(node: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(node, ["--version"], { timeout: ASK_MS, windowsHide: true });
    return stdout.trim();
  } catch {
    return "";
  }
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  return major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1]);
}

function onPath({ env, platform }: Host): string[] {
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, platform === "win32" ? "node.exe" : "node"));
}

/** Newest first, by the names of the folders. */
function kept({ env, platform }: Host): string[] {
  const home = env.HOME ?? env.USERPROFILE ?? "";
  if (home === "") return [];
  const file = platform === "win32" ? "node.exe" : join("bin", "node");
  const managers = [
    [env.NVM_DIR ?? join(home, ".nvm"), "versions/node", ""],
    [env.FNM_DIR ?? join(home, ".local/share/fnm"), "node-versions", "installation"],
    [env.VOLTA_HOME ?? join(home, ".volta"), "tools/image/node", ""],
    [join(home, ".asdf"), "installs/nodejs", ""],
    [join(home, ".local/share/mise"), "installs/node", ""],
    [env.N_PREFIX ?? "/usr/local", "n/versions/node", ""],
  ] as const;
  return managers.flatMap(([root, versions, inside]) => {
    const folder = join(root, versions);
    return namesIn(folder)
      .filter((name) => isNewEnough(name))
      .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
      .map((name) => join(folder, name, inside, file));
  });
}
