import { join } from "node:path";
import { npmFolder } from "../../testing/programs/npm-folder.js";

/** Their dependencies are those of this day, so that a later release of one changes nothing here. */
const BEFORE = "2026-11-15";

/** The clients that are played, by their names on npm. All three run on Bun, which comes from npm as well. */
export const versions = {
  "opencode-cursor-oauth": "0.2.0",
  "@bitkyc08/opencodex": "2.63.0",
  "@oh-my-pi/pi-ai": "18.2.3",
};
const BUN_VERSION = "1.4.0";

/** opencode-cursor-oauth asks for a build of this package that the registry does not have; it takes only types from it. */
const overrides = { "@opencode-ai/plugin": "1.18.33" };

/** The folder with all of them in its node_modules, and the Bun in it. */
export async function installPeers() {
  const packages = Object.entries({ ...versions, bun: BUN_VERSION }).map(([name, version]) => `${name}@${version}`);
  const prepare = async (npm) => {
    // Its script puts the binary for this machine, which npm has fetched already, where the command is.
    await npm(["rebuild", "bun"]);
  };
  const folder = await npmFolder("peers", [...packages, `--before=${BEFORE}`], prepare, overrides);
  return { folder, bun: join(folder, "node_modules", ".bin", "bun") };
}
