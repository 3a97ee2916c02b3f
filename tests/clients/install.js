import { execFile } from "node:child_process";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { nodePackage, npmFolder } from "../../testing/programs/npm-folder.js";
import { nodeVersion, packages } from "./versions.js";

/** Installs a client. Returns a PATH with it and with a Node that is new enough. Another version has a folder of its own. */
export async function installClient(command, version = packages[command].version) {
  const { name, version: recorded, before, scripts = [] } = packages[command];
  const isRecorded = version === recorded;
  const asOf = isRecorded && before !== undefined ? [`--before=${before}`] : [];
  const nodeFolder = await npmFolder("client-node", [`${nodePackage()}@${nodeVersion}`]);
  const kept = `client-${command}${isRecorded ? "" : "-newest"}`;
  const folder = await npmFolder(kept, [`${name}@${version}`, ...asOf], async (npm) => {
    if (scripts.length > 0) await npm(["rebuild", ...scripts]);
  });
  const folders = [join(folder, "node_modules", ".bin"), join(nodeFolder, "node_modules", nodePackage(), "bin")];
  return [...folders, process.env.PATH].join(delimiter);
}

/** The newest version in the registry. */
export async function newestVersion(command) {
  const { stdout } = await promisify(execFile)("npm", ["view", packages[command].name, "version"]);
  return stdout.trim();
}
