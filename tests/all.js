// Every suite, one after the other; one that fails does not keep the others from running. The last line is "N passed, M failed",
// where a suite counts once.
//   node tests/all.js [--but SUITE]...
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** The longest come last, so that what is broken shows early. CONTRIBUTING.md says what each of them is for. */
const suites = [
  "test",
  "test:slow",
  "test:load",
  "test:replay",
  "test:mcp",
  "test:monitoring",
  "test:browser",
  "test:first-run",
  "test:official-sdk",
  "test:peers",
  "test:opencode-plugin",
  "test:pack",
  "test:clients",
  "test:nodes",
];

const { values: flags } = parseArgs({ options: { but: { type: "string", multiple: true, default: [] } } });
const unknown = flags.but.filter((name) => !suites.includes(name));
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(", ")}. There are ${suites.join(", ")}.`);
  process.exit(2);
}

const root = fileURLToPath(new URL("..", import.meta.url));
const outcomes = suites.filter((name) => !flags.but.includes(name)).map(runSuite);
const failed = outcomes.filter((hasPassed) => !hasPassed).length;
console.log(`${outcomes.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function runSuite(name) {
  const startedMs = performance.now();
  console.log(`== npm run ${name}`);
  const { status } = spawnSync("npm", ["run", name], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  console.log(`== npm run ${name}: ${status === 0 ? "ok" : "FAILED"} after ${seconds} s`);
  return status === 0;
}
