import { startSimulator } from "../../../simulator/index.js";
import { makeAgentBackend } from "../../../tests/agent-backend.js";
import { startByteCutter } from "../../../tests/byte-cutter.js";
import { type BackendUnderTest, describeBackend } from "../backend.cases.js";
import { skips } from "../skips.cases.js";
import { defaultLimits } from "./index.js";

describeBackend("agent/h2", { start, startCut: () => start({ cuts: true }), skips: skips["agent/h2"] });

async function start({ cuts = false } = {}): Promise<BackendUnderTest> {
  const simulator = await startSimulator();
  const cutter = cuts ? await startByteCutter(simulator.url) : undefined;
  const limits = { ...defaultLimits, maxRetries: 0 };
  const backend = makeAgentBackend(cutter?.url ?? simulator.url, { limits });
  return {
    backend,
    async stop() {
      backend.close();
      await cutter?.close();
      await simulator.close();
    },
  };
}
