import { join } from "node:path";
import { npmFolder } from "../../testing/programs/npm-folder.js";

/** Pins dependencies to this day, so that later releases change nothing. */
const BEFORE = "2026-11-15";

/** The tested clients by their npm names. All run on Bun, which also comes from npm. */
export const versions = {
  "opencode-cursor-oauth": "0.2.0",
  "@bitkyc08/opencodex": "2.63.0",
  "@oh-my-pi/pi-ai": "18.2.3",
  "cursor-openai-api": "0.0.2",
};
const BUN_VERSION = "1.4.0";

/** opencode-cursor-oauth wants a build of this package that the registry does not have; it uses only its types. */
const overrides = { "@opencode-ai/plugin": "1.18.33" };

/** Returns the folder with all of them in node_modules. */
export async function installPeers() {
  const packages = Object.entries({ ...versions, bun: BUN_VERSION }).map(([name, version]) => `${name}@${version}`);
  const prepare = async (npm) => {
    // Its install script links the binary for this machine, which npm has already fetched.
    await npm(["rebuild", "bun"]);
  };
  return npmFolder("peers", [...packages, `--before=${BEFORE}`], prepare, overrides);
}

export function bunIn(folder) {
  return join(folder, "node_modules", ".bin", "bun");
}
