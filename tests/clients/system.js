import { startCurlew } from "../../testing/programs/start-curlew.js";
import { startSimulator } from "../../testing/programs/start-simulator.js";

/** A gateway on a simulator of its own, so that counters and log belong to one client. */
export async function startSystem(main, home) {
  const simulator = await startSimulator(main, "h2");
  let gateway;
  try {
    gateway = await startCurlew(main, ["serve", "--port", "0", "--json"], {
      PATH: process.env.PATH,
      CURLEW_HOME: home,
      CURSOR_BACKEND_URL: simulator.url,
      CURSOR_API_KEY: "crsr_clients",
      CURLEW_MODEL_ALIASES: "gpt-5.6-sol=auto",
    });
  } catch (thrown) {
    await simulator.stop();
    throw thrown;
  }
  return {
    url: JSON.parse(gateway.firstLine).url,
    simulator,
    /** The lines of the gateway's log so far. */
    log: () =>
      gateway
        .log()
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    async stop() {
      await gateway.stop();
      await simulator.stop();
    },
  };
}
