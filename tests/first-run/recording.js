// Records the guided first run, from the real program on a real terminal, as the animated picture of the README.
//   npm run recording
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const script = fileURLToPath(new URL("write-recording.ts", import.meta.url));
// It is TypeScript, and runs while it is imported.
await runnerImport(script, { configFile: false, logLevel: "warn" });
