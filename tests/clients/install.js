import { delimiter, join } from "node:path";
import { nodePackage, npmFolder } from "../../testing/programs/npm-folder.js";
import { nodeVersion, packages } from "./versions.js";

/** Installs a client. Returns a PATH with it and with a Node that is new enough. */
export async function installClient(command) {
  const { name, version, before, scripts = [] } = packages[command];
  const asOf = before === undefined ? [] : [`--before=${before}`];
  const nodeFolder = await npmFolder("client-node", [`${nodePackage()}@${nodeVersion}`]);
  const folder = await npmFolder(`client-${command}`, [`${name}@${version}`, ...asOf], async (npm) => {
    if (scripts.length > 0) await npm(["rebuild", ...scripts]);
  });
  const folders = [join(folder, "node_modules", ".bin"), join(nodeFolder, "node_modules", nodePackage(), "bin")];
  return [...folders, process.env.PATH].join(delimiter);
}
