// Installs a version of @cursor/sdk, unmodified, in its own folder.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { nodePackage, npmFolder } from "../../testing/programs/npm-folder.js";

const [CURRENT_MAJOR] = process.versions.node.split(".");

/** `nodeMajor` is for a version that refuses the current Node. */
export async function installSdk({ version, nodeMajor, hasSqlite }) {
  const packages = [`@cursor/sdk@${version}`, `${nodePackage()}@${nodeMajor ?? CURRENT_MAJOR}`];
  const nodeFolder = (folder) => join(folder, "node_modules", nodePackage());
  const folder = await npmFolder(`official-sdk-${version}`, packages, async (npm, target) => {
    // Its SQLite is native: prebuilt if available, otherwise built. The headers come with the Node package, so that only
    // the package registry is needed; headers of another major version give a binary that crashes.
    if (hasSqlite) await npm(["rebuild", "sqlite3"], { npm_config_nodedir: nodeFolder(target) });
  });
  const root = join(folder, "node_modules", "@cursor", "sdk");
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return {
    version,
    module: pathToFileURL(join(root, manifest.exports["."].import)).href,
    node: nodeMajor ? join(nodeFolder(folder), "bin", "node") : process.execPath,
  };
}
