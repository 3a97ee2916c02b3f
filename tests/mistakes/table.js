// The mistakes of newcomers with the answers that they get, as a table in Markdown.
//   node tests/mistakes/table.js
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

// It is TypeScript, and runs while it is imported.
await runnerImport(fileURLToPath(new URL("print-table.ts", import.meta.url)), { configFile: false, logLevel: "warn" });
