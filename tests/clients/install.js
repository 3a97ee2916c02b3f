import { delimiter, join } from "node:path";
import { nodePackage, npmFolder } from "../npm-folder.js";
import { nodeVersion, packages } from "./versions.js";

/** The command of a client, and the PATH that it runs under: with a Node that is new enough for all of them. */
export async function installClient(command) {
  const { name, version, scripts = [] } = packages[command];
  const nodeFolder = await npmFolder("client-node", [`${nodePackage()}@${nodeVersion}`]);
  const folder = await npmFolder(`client-${command}`, [`${name}@${version}`], async (npm) => {
    if (scripts.length > 0) await npm(["rebuild", ...scripts]);
  });
  return {
    version,
    file: join(folder, "node_modules", ".bin", command),
    path: [join(nodeFolder, "node_modules", nodePackage(), "bin"), process.env.PATH].join(delimiter),
  };
}
