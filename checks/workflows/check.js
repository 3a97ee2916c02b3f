// Fails when a workflow in .github/workflows/ is not one, or breaks a rule of judge.js.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { judgeWorkflow } from "./judge.js";
import { createParser } from "./parse.js";

const FOLDER = ".github/workflows";
const parse = await createParser();
const names = readdirSync(FOLDER);
const faults = names.flatMap((name) => {
  const text = readFileSync(join(FOLDER, name), "utf8");
  return [...parse(name, text), ...judgeWorkflow(text)].map(({ line, what }) => `${FOLDER}/${name}:${line}: ${what}`);
});
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
} else {
  console.log(`the ${names.length} workflows parse, and keep to the rules for actions, permissions and scripts`);
}
