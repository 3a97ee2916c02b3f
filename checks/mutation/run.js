// How many of a hundred single-line changes the tests find. The tests beside the changed code judge, and some of the whole system.
//   node checks/mutation/run.js [--renew] [--only PART] [--at-once N]
// --renew replaces changes whose line is gone, and runs nothing. It takes about an hour, works on what is committed, and needs a build.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parts, renew } from "./changes.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const listFile = fileURLToPath(new URL("changes.json", import.meta.url));
/** A change that makes a test wait for ever counts as found. */
const TIMEOUT_MS = 300_000;

const { values: flags } = parseArgs({
  options: {
    renew: { type: "boolean", default: false },
    only: { type: "string" },
    "at-once": { type: "string", default: "2" },
  },
});
const kept = existsSync(listFile) ? JSON.parse(readFileSync(listFile, "utf8")) : [];
if (flags.renew) {
  const changes = renew(root, kept);
  writeFileSync(listFile, `${JSON.stringify(changes, undefined, 2)}\n`);
  const isKept = ({ line, changed }) => kept.some((each) => each.line === line && each.changed === changed);
  console.log(`${changes.length} changes, ${changes.filter((change) => !isKept(change)).length} of them new`);
  process.exit(0);
}

const queue = kept.filter(({ part }) => flags.only === undefined || part === flags.only);
const missing = queue.filter(({ file, line }) => !existsSync(join(root, file)) || !hasOnce(join(root, file), line));
if (missing.length > 0) {
  console.error(`${missing.length} changes cannot be made any more. Run: node checks/mutation/run.js --renew`);
  process.exit(2);
}
const counts = Object.fromEntries(Object.keys(parts).map((part) => [part, { found: 0, all: 0 }]));
const survivors = [];
await Promise.all(Array.from({ length: Number(flags["at-once"]) }, work));
for (const [part, { found, all }] of Object.entries(counts)) if (all > 0) console.log(`${part}: ${found} of ${all}`);
for (const { file, line, changed } of survivors) console.log(`not found: ${file}\n  - ${line}\n  + ${changed}`);
const found = Object.values(counts).reduce((sum, each) => sum + each.found, 0);
console.log(`${found} of ${found + survivors.length} changes were found`);

async function work() {
  const folder = mkdtempSync(join(tmpdir(), "curlew-mutation-"));
  try {
    execFileSync("git", ["worktree", "add", "--detach", folder, "HEAD"], { cwd: root, stdio: "ignore" });
    for (const name of ["node_modules", "dist"]) symlinkSync(join(root, name), join(folder, name));
    for (let change = queue.shift(); change !== undefined; change = queue.shift()) await judge(folder, change);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    execFileSync("git", ["worktree", "prune"], { cwd: root });
  }
}

async function judge(folder, change) {
  const path = join(folder, change.file);
  const text = readFileSync(path, "utf8");
  writeFileSync(
    path,
    text.replace(change.line, () => change.changed),
  );
  const isFound = !(await passes(folder, parts[change.part]));
  writeFileSync(path, text);
  counts[change.part].all++;
  if (isFound) counts[change.part].found++;
  else survivors.push(change);
  console.log(`${isFound ? "found    " : "NOT FOUND"}  ${change.file}: ${change.changed}`);
}

function passes(folder, { rooms, tests }) {
  const files = [...rooms.map((room) => `${room}/`), ...tests.map((name) => `tests/${name}.test.ts`)];
  const args = ["vitest", "run", "--project", "behaviour", "--bail", "1", "--maxWorkers", "1", ...files];
  const child = spawn("npx", args, { cwd: folder, stdio: "ignore", detached: true });
  const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), TIMEOUT_MS);
  return new Promise((resolve) => {
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
  });
}

function hasOnce(path, line) {
  return (
    readFileSync(path, "utf8")
      .split("\n")
      .filter((each) => each.trim() === line).length === 1
  );
}
