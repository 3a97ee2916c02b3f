// Runs `npm test` on each newer supported Node. The binaries come from npm.
//   node tests/nodes.js [--only MAJOR] [FILE...]
import { spawnSync } from "node:child_process";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { nodeBinFolder } from "../testing/programs/npm-folder.js";

const NODE_MAJORS = ["22", "24"];

const { values: flags, positionals: files } = parseArgs({
  options: { only: { type: "string" } },
  allowPositionals: true,
});
const root = fileURLToPath(new URL("..", import.meta.url));
let failed = 0;
for (const major of NODE_MAJORS.filter((each) => flags.only === undefined || each === flags.only)) {
  const bin = await nodeBinFolder(major);
  const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
  const { stdout } = spawnSync("node", ["--version"], { env, encoding: "utf8" });
  console.log(`== npm test on Node ${stdout?.trim()}`);
  // npm itself and all that it starts run on this Node.
  const { status } = spawnSync("npm", ["test", "--", ...files], {
    cwd: root,
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0 || !stdout?.startsWith(`v${major}.`)) failed++;
}
process.exitCode = failed === 0 ? 0 : 1;
