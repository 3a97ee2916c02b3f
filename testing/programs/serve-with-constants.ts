// The built gateway with constants that no setting reaches, for tests and the bench that need it in a process of its own.
//   node dist/serve-with-constants.js '{"maxParkedRuns":10000}'
import { startServer } from "../../packages/cli/app/start/start-server.js";
import { loadSettings } from "../../packages/cli/config/load.js";

const { settings } = loadSettings({ given: { port: 0 } });
const server = await startServer(settings, {
  orSimulate: false,
  logStream: process.stderr,
  constants: JSON.parse(process.argv[2] ?? "{}"),
});
await server.ready;
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);
