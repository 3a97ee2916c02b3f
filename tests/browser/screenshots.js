// Pictures of every view, at the widths of a phone and of a desk, in both themes, from a simulated month.
//   npm run screenshots -- [FOLDER]     all of them, as PNG; the default is a folder below the system's temporary directory
//   npm run screenshots -- --docs       those of README and guide, as WebP in docs/pictures/
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const script = fileURLToPath(new URL("../../testing/browser/screenshots.ts", import.meta.url));
// It is TypeScript, and runs while it is imported.
await runnerImport(script, { configFile: false, logLevel: "warn" });
