import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { startCurlew } from "../../testing/programs/start-curlew.js";
import { startSimulator } from "../../testing/programs/start-simulator.js";

/** A gateway on a simulator of its own, so that counters and log belong to one client. */
export async function startSystem(main, home) {
  const simulator = await startSimulator(main, "h2");
  const environment = {
    PATH: process.env.PATH,
    CURLEW_HOME: home,
    CURSOR_BACKEND_URL: simulator.url,
    CURSOR_API_KEY: "crsr_clients",
    CURLEW_MODEL_ALIASES: "gpt-5.6-sol=auto",
  };
  const start = (port) => startCurlew(main, ["serve", "--port", port, "--json"], environment);
  let gateway;
  try {
    gateway = await start("0");
  } catch (thrown) {
    await simulator.stop();
    throw thrown;
  }
  const { url } = JSON.parse(gateway.firstLine);
  let earlierLog = "";
  return {
    url,
    simulator,
    /** The lines of the gateway's log so far. */
    log: () =>
      `${earlierLog}${gateway.log()}`
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    /** The requests in the gateway's ledger so far, oldest first. */
    async ledger() {
      const { stdout } = await promisify(execFile)(process.execPath, [main, "logs", "--json", "--lines", "500"], {
        env: environment,
      });
      return stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    },
    async restart() {
      await gateway.stop();
      earlierLog += gateway.log();
      gateway = await start(new URL(url).port);
    },
    async stop() {
      await gateway.stop();
      await simulator.stop();
    },
  };
}
