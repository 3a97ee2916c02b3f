// Fails when an import in src/, simulator/, laboratory/ or dashboard/ crosses a border that the table of rooms in docs/architecture.md draws.
// With --list it prints which rooms each room imports, in the words of the table.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { exceptions } from "./exceptions.js";
import { isForTests, readTree } from "./find-imports.js";
import { judgeBorders } from "./judge.js";
import { listImports } from "./list-imports.js";
import { readTable } from "./read-table.js";

const PAGE = "docs/architecture.md";
const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const table = readTable(readFileSync(join(root, PAGE), "utf8"), PAGE);
const files = readTree(root, ["src", "simulator", "laboratory", "dashboard"]);
if (process.argv.includes("--list")) console.log(listImports(table, files));
else report(judgeBorders(table, files, exceptions));

function report(faults) {
  if (faults.length > 0) {
    console.error(faults.join("\n"));
    console.error(
      `\n${faults.length} faults. ${PAGE}, "Rooms", says what each room may import, and how to read its table.`,
    );
    process.exitCode = 1;
  } else {
    const checked = files.filter(({ file }) => !isForTests(file)).length;
    console.log(`the imports of ${checked} files keep to the table of rooms, ${exceptions.length} exceptions apart`);
  }
}
