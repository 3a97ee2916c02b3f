import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cursorLocations } from "../../account/import/locations.js";
import type { Machine } from "../../system/machine.js";
import { GatewayError } from "../../turn/error.js";
import type { InstalledProgram, OwnLoginParts, OwnLoginReport } from "../backend-parts.js";
import { findSdk, versionOfSdk } from "./find-sdk.js";
import { namesIn } from "./stores.js";

export interface SdkLoginSettings {
  readonly sdkPath: string | undefined;
  /** The Node that runs it; if not set, one is searched for. */
  readonly sdkNode?: string | undefined;
}

export interface SdkLocation {
  readonly node: string;
  readonly nodeVersion: string;
  readonly module: string;
}

type SdkParts = Omit<OwnLoginParts<SdkLoginSettings>, "clock">;

export async function isLoggedIn(parts: SdkParts): Promise<boolean> {
  if (!existsSync(cursorLocations(parts.machine).sdkFile)) return false;
  return findInstalled(parts).then(
    () => true,
    () => false,
  );
}

/** Reports which SDK there is and which Node runs it. The SDK does not report its login before it is used. */
export async function report(parts: SdkParts): Promise<OwnLoginReport> {
  try {
    const { module, node } = await findInstalled(parts);
    return { isUsable: true, what: `${module}, run by ${node}` };
  } catch (why) {
    return { isUsable: false, why, fix: "npm install @cursor/sdk" };
  }
}

/** The SDK on this machine: its version, as it names itself to Cursor, and the file that has all of its messages. Nothing is run. */
export async function installed({ settings: { sdkPath } }: SdkParts): Promise<InstalledProgram | undefined> {
  try {
    const module = findSdk(sdkPath, searchedFolders());
    const version = versionOfSdk(module);
    if (version === undefined) return undefined;
    return { version: `sdk-${version}`, bundle: fileURLToPath(new URL("../bundled/index.js", module)) };
  } catch {
    return undefined;
  }
}

/** Finds the SDK, and a Node that is new enough for it. @throws GatewayError `server_error` when one is missing */
export async function findInstalled({ settings: { sdkPath, sdkNode }, machine }: SdkParts): Promise<SdkLocation> {
  const module = findSdk(sdkPath, searchedFolders());
  return { module, ...(await findNode(sdkNode, machine)) };
}

function searchedFolders(): string[] {
  return [process.cwd(), dirname(fileURLToPath(import.meta.url))];
}

/** The oldest version that Cursor's SDK runs on, by its package's `engines`. Node has had the permission model since then, and since 23.5. */
const oldestVersion = [22, 13] as const;
const ASK_MS = 5_000;

type Host = Pick<Machine, "env" | "platform">;

/** A Node that is new enough: the named one alone, or else ours, one on the PATH, or a version manager's. @throws GatewayError `server_error` */
export async function findNode(
  node: string | undefined,
  machine: Host,
  own = { path: process.execPath, version: process.versions.node },
): Promise<{ node: string; nodeVersion: string }> {
  if (node !== undefined) {
    const version = await versionOf(node);
    if (isNewEnough(version)) return { node, nodeVersion: version };
    const what = version === "" ? `${node} cannot be run as Node` : `${node} is Node ${version}`;
    throw new GatewayError("server_error", `${what}; Cursor's SDK needs 22.13 or newer.`);
  }
  if (isNewEnough(own.version)) return { node: own.path, nodeVersion: own.version };
  const folders = (machine.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const onPath = folders.map((folder) => join(folder, machine.platform === "win32" ? "node.exe" : "node"));
  for (const candidate of [...onPath, ...kept(machine)]) {
    const nodeVersion = await versionOf(candidate);
    if (isNewEnough(nodeVersion)) return { node: candidate, nodeVersion };
  }
  const text =
    `Cursor's SDK needs Node 22.13 or newer; Curlew runs on ${own.version}, and no other was found. ` +
    "Install one and put it on the PATH.";
  throw new GatewayError("server_error", text);
}

async function versionOf(node: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(node, ["--version"], { timeout: ASK_MS, windowsHide: true });
    return stdout.trim().replace(/^v/, "");
  } catch {
    return "";
  }
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  if (major === 23) return minor >= 5;
  return major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1]);
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
