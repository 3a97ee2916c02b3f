// Known weaknesses in the libraries that users run: those of the bundle, and those that npm installs beside it. They are development
// dependencies, so `npm audit --omit=dev` does not look at them. It asks npm's registry.
//   node checks/audit/check.js
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findWeaknesses } from "./find-weaknesses.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const read = (name) => JSON.parse(readFileSync(join(root, name), "utf8"));

// npm says by its exit code that there is something to report.
const { stdout, stderr } = spawnSync("npm", ["audit", "--json"], { cwd: root, encoding: "utf8" });
const report = JSON.parse(stdout || "{}");
if (report.vulnerabilities === undefined) {
  console.error(`npm could not ask its registry.\n${stderr}`);
  process.exitCode = 2;
} else {
  const found = findWeaknesses(report, read("bundled.json"), read("package-lock.json"));
  for (const line of found) console.log(line);
  console.log(`${found.length} of the libraries that users run have known weaknesses`);
  if (found.length > 0) process.exitCode = 1;
}
