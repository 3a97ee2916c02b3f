// Compares what is said on the wire, for maintainers: `npm run protocol:diff` and `npm run protocol:official`; and answers
// what a capture can answer: `npm run protocol:answers`.
// It runs from the sources, as tests do: the parts of the gateway that it needs are not published.
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

// The module does its work while it is imported, because the runner is closed afterwards.
const packages = fileURLToPath(new URL("../packages", import.meta.url));
await runnerImport(fileURLToPath(new URL("main.ts", import.meta.url)), {
  logLevel: "error",
  resolve: { alias: { "@curlew": packages } },
});
