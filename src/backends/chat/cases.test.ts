import { startSimulator } from "../../../simulator/index.js";
import { startByteCutter } from "../../../testing/network/byte-cutter.js";
import { sampleTokens } from "../../../testing/samples/sample-tokens.js";
import { systemClock } from "../../clock.js";
import { createNetwork } from "../../network/index.js";
import { type BackendUnderTest, describeBackend } from "../backend.cases.js";
import { skips } from "../skips.cases.js";
import { createChatBackend } from "./index.js";

describeBackend("chat", { start, startCut: () => start({ cuts: true }), skips: skips.chat });

async function start({ cuts = false } = {}): Promise<BackendUnderTest> {
  const simulator = await startSimulator({ legacy: "working" });
  const cutter = cuts ? await startByteCutter(simulator.url) : undefined;
  const backend = createChatBackend({
    tokens: sampleTokens(simulator.url),
    backendUrl: cutter?.url ?? simulator.url,
    silenceMs: 30_000,
    clock: systemClock,
    network: createNetwork(),
  });
  return {
    backend,
    async stop() {
      backend.close();
      await cutter?.close();
      await simulator.close();
    },
  };
}
