// Runs the core's tests on each newer supported Node, and starts the program that it has built. The binaries come from npm.
//   node tests/nodes.js [--only MAJOR] [FILE...]
import { spawnSync } from "node:child_process";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { nodeBinFolder } from "../testing/programs/npm-folder.js";

const NODE_MAJORS = ["22", "24", "26"];
/** What may depend on the version: streams, HTTP, files, timers and native code. Other code only uses the language. */
const core = [
  ...["packages/gateway/", "packages/meter/", "packages/cli/app/"],
  ...[
    "tests/continuity.test.ts",
    "tests/parked-runs.test.ts",
    "tests/transport.test.ts",
    "tests/commands-serve.test.ts",
  ],
];

const { values: flags, positionals: files } = parseArgs({
  options: { only: { type: "string" } },
  allowPositionals: true,
});
const root = fileURLToPath(new URL("..", import.meta.url));
let failed = 0;
for (const major of NODE_MAJORS.filter((each) => flags.only === undefined || each === flags.only)) {
  const bin = await nodeBinFolder(major);
  // npm itself and all that it starts run on this Node.
  const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
  const run = (command, ...args) => spawnSync(command, args, { cwd: root, env, encoding: "utf8", stdio: "pipe" });
  const version = run("node", "--version").stdout.trim();
  console.log(`== The core's tests on Node ${version}`);
  const build = run("npm", "run", "--silent", "build");
  const answer = run("node", "dist/main.js", "ask", "--backend", "simulator", "[[say a curlew]]");
  const tests = spawnSync("npx", ["vitest", "run", "--project", "behaviour", ...(files.length > 0 ? files : core)], {
    ...{ cwd: root, env, stdio: ["ignore", "inherit", "inherit"] },
  });
  const isRight = version.startsWith(`v${major}.`) && build.status === 0 && answer.stdout.includes("a curlew");
  if (!isRight) console.error(`The program did not build or answer.\n${build.stderr}${answer.stdout}${answer.stderr}`);
  if (!isRight || tests.status !== 0) failed++;
}
process.exitCode = failed === 0 ? 0 : 1;
