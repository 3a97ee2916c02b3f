import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { filmFirstRun } from "./film-walk.js";

const file = fileURLToPath(new URL("../../docs/pictures/first-run.svg", import.meta.url));
const { svg } = await filmFirstRun();
writeFileSync(file, svg);
process.stdout.write(`${file}\n`);
