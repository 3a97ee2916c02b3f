import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { GatewayError } from "../../turn/error.js";
import { field, textField } from "../../turn/read-json.js";

/**
 * The search goes from each folder upwards. `sdkPath` is the only candidate if it is set: the package's folder, one with `node_modules`, or the
 * module itself. @throws GatewayError `server_error` if it is not found, with what to do.
 */
export function findSdk(sdkPath: string | undefined, folders: readonly string[]): string {
  if (sdkPath !== undefined && /\.[cm]?js$/.test(sdkPath) && existsSync(sdkPath)) return pathToFileURL(sdkPath).href;
  const packages =
    sdkPath === undefined ? folders.flatMap((folder) => upwards(folder).map(inModules)) : [sdkPath, inModules(sdkPath)];
  for (const folder of packages) {
    const manifest = manifestOf(folder);
    const entry = field(field(field(manifest, "exports"), "."), "import") ?? field(manifest, "module");
    if (typeof entry === "string") return pathToFileURL(join(folder, entry)).href;
  }
  const text =
    sdkPath === undefined
      ? "Cursor's SDK is not installed. Run npm install @cursor/sdk in the folder where you start Curlew, or set CURLEW_SDK_PATH."
      : `Cursor's SDK is not in ${sdkPath}. Set CURLEW_SDK_PATH to the folder of the package @cursor/sdk.`;
  throw new GatewayError("server_error", text);
}

function inModules(folder: string): string {
  return join(folder, "node_modules", "@cursor", "sdk");
}

function upwards(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}

/** The real paths of the folders from which the SDK and what it depends on are loaded: its own, and those of packages above it. */
export function foldersOfSdk(module: string): string[] {
  const above = upwards(dirname(realpathSync(fileURLToPath(module))));
  const own = above.find((folder) => manifestOf(folder) !== undefined) ?? above.slice(0, 1);
  return [own, ...above.map((folder) => join(folder, "node_modules")).filter((folder) => existsSync(folder))].flat();
}

/** The version in the SDK's own manifest, which lies above its module. */
export function versionOfSdk(module: string): string | undefined {
  const manifests = upwards(dirname(fileURLToPath(module))).map(manifestOf);
  const manifest = manifests.find((each) => each !== undefined);
  return textField(manifest, "version") || undefined;
}

function manifestOf(folder: string): unknown {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return field(manifest, "name") === "@cursor/sdk" ? manifest : undefined;
  } catch {
    return undefined;
  }
}
