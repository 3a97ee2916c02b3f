// Fails when an import in packages/ crosses a border: between packages, what their package.json files say; inside a package, what the table
// of rooms in docs/architecture.md says. With --list it prints which rooms each room imports, in the words of the table.
import { readdirSync, readFileSync } from "node:fs";
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
const manifests = readdirSync(join(root, "packages")).map((folder) => ({
  folder,
  ...JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")),
}));
const files = readTree(root, ["packages"]);
if (process.argv.includes("--list")) console.log(listImports(table, files));
else report(judgeBorders(table, manifests, files, exceptions));

function report(faults) {
  if (faults.length > 0) {
    console.error(faults.join("\n"));
    console.error(
      `\n${faults.length} faults. ${PAGE}, "Rooms", says how to read its table and the package.json files.`,
    );
    process.exitCode = 1;
  } else {
    const checked = files.filter(({ file }) => !isForTests(file)).length;
    const kept = `${table.rows.length} rows and ${manifests.length} packages, ${exceptions.length} exceptions apart`;
    console.log(`the imports of ${checked} files keep to ${kept}`);
  }
}
