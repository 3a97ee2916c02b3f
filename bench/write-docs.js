// Writes docs/performance.md and its pictures from the kept results: node bench/write-docs.js
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { performancePage } from "./report/page.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const RESULTS_FOLDER = `${root}/bench/results`;
const kept = readdirSync(RESULTS_FOLDER).filter((name) => name.endsWith(".json") && name !== "latest.json");
const results = kept.sort().map((name) => JSON.parse(readFileSync(`${RESULTS_FOLDER}/${name}`, "utf8")));
mkdirSync(`${root}/docs/performance`, { recursive: true });
for (const [name, text] of Object.entries(performancePage(results))) writeFileSync(`${root}/docs/${name}`, text);
