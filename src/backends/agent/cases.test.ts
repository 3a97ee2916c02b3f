import { startSimulator } from "../../../simulator/index.js";
import { makeAgentBackend } from "../../../testing/gateway/agent-backend.js";
import { startByteCutter } from "../../../testing/network/byte-cutter.js";
import { type BackendUnderTest, describeBackend } from "../backend.cases.js";
import { skips } from "../skips.cases.js";
import { defaultLimits } from "./index.js";

for (const transport of ["h2", "h1"] as const) {
  const road = `agent/${transport}` as const;
  describeBackend(road, {
    start: () => start(transport),
    startCut: () => start(transport, { cuts: true }),
    skips: skips[road],
  });
}

async function start(transport: "h1" | "h2", { cuts = false } = {}): Promise<BackendUnderTest> {
  const simulator = await startSimulator({ transport });
  const cutter = cuts ? await startByteCutter(simulator.url) : undefined;
  const limits = { ...defaultLimits, maxRetries: 0 };
  const backend = makeAgentBackend(cutter?.url ?? simulator.url, { transport, limits });
  return {
    backend,
    async stop() {
      backend.close();
      await cutter?.close();
      await simulator.close();
    },
  };
}
