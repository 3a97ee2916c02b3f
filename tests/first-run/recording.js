// Records the guided first run of the real program on a real terminal as the animated picture of the README.
//   npm run recording
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const script = fileURLToPath(new URL("write-recording.ts", import.meta.url));
// A TypeScript module with a top-level script: importing runs it.
await runnerImport(script, { configFile: false, logLevel: "warn" });
