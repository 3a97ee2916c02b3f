// Limits the size of the project: hand-written lines (with comments and blank lines) and files of each part, by budget.json.
// A number there is raised by hand, with a visible reason.
//   node checks/budget/check.js
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const isCode = (file) => /\.(ts|tsx|js|css|html|sh)$/.test(file) && !/(^|\/)gen\//.test(file);
const isTest = (file) => /\.(test|cases|slow)\.[a-z]+$/.test(file) || /^(tests|testing)\//.test(file);

/** The first part that takes a file counts it. */
const parts = [
  { name: "tests and helpers", takes: isTest },
  { name: "product", takes: (file) => /^packages\/(wire|gateway|meter|cli|page\/(?!browser\/))/.test(file) },
  { name: "page client", takes: (file) => file.startsWith("packages/page/browser/") },
  { name: "simulator and laboratory", takes: (file) => /^(packages\/simulator|laboratory)\//.test(file) },
  { name: "bench, checks and build", takes: () => true },
];

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter(isCode);
const counts = Object.fromEntries(parts.map(({ name }) => [name, { lines: 0, files: 0 }]));
for (const file of files) {
  const { name } = parts.find(({ takes }) => takes(file));
  counts[name].files++;
  counts[name].lines += readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").split("\n").length - 1;
}

const budget = JSON.parse(readFileSync(new URL("budget.json", import.meta.url), "utf8"));
const over = [];
for (const [name, { lines, files: number }] of Object.entries(counts)) {
  const { lines: mostLines = 0, files: mostFiles = 0 } = budget[name] ?? {};
  console.log(`${name}: ${lines} of ${mostLines} lines, ${number} of ${mostFiles} files`);
  if (lines > mostLines || number > mostFiles) over.push(name);
}
if (over.length > 0) {
  console.error(
    `Over the budget: ${over.join(", ")}. Take something away, or raise the number in checks/budget/budget.json and say why.`,
  );
  process.exitCode = 1;
}
