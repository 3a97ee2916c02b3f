// Runs every suite in sequence, also after a failure. The last line is "N passed, M failed", counted in suites.
//   node tests/all.js [--but SUITE]...
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** The slowest run last, so that failures show early. CONTRIBUTING.md describes each suite. */
const suites = [
  "test",
  "test:slow",
  "test:load",
  "test:replay",
  "test:mcp",
  "test:agents-sdk",
  "test:langchain",
  "test:monitoring",
  "test:browser",
  "test:first-run",
  "test:official-sdk",
  "test:peers",
  "test:opencode-plugin",
  "test:pack",
  "test:three-terminals",
  "test:clients",
  "test:nodes",
];

const { values: flags } = parseArgs({ options: { but: { type: "string", multiple: true, default: [] } } });
const unknown = flags.but.filter((name) => !suites.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown suite: ${unknown.join(", ")}. Suites: ${suites.join(", ")}.`);
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
