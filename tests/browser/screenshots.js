// Screenshots of every view, at phone and desktop width, in both themes, from a simulated month.
//   npm run screenshots -- [FOLDER]     all of them, as PNG; by default in a folder of the system's temporary directory
//   npm run screenshots -- --docs       those for the README and the guide, as WebP in docs/pictures/
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const script = fileURLToPath(new URL("../../testing/browser/screenshots.ts", import.meta.url));
// A TypeScript module with a top-level script: importing runs it.
await runnerImport(script, { configFile: false, logLevel: "warn" });
