// Fails when a regular expression in packages/ or laboratory/ may take more than linear time.
// Why, and what to do about one: docs/decisions/0014-no-request-stops-the-others.md
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { allowed } from "./allowed.js";
import { findExpressions } from "./find-expressions.js";
import { judgeExpressions } from "./judge.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const expressions = findExpressions(root, ["packages", "laboratory"]);
const faults = judgeExpressions(expressions, allowed);
if (faults.length > 0) {
  console.error("These regular expressions may take more than linear time on text that others write:\n");
  console.error(faults.join("\n"));
  console.error("\nWhat to do about one: docs/decisions/0014-no-request-stops-the-others.md");
  process.exitCode = 1;
} else {
  console.log(`all ${expressions.length} regular expressions are linear, or allowed with a reason`);
}
