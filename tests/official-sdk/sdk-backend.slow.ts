import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../simulator/index.js";
import { type BackendUnderTest, describeBackend } from "../../src/backends/backend.cases.js";
import { createSdkBackend, defaultSdkLimits, type SdkBackendDeps } from "../../src/backends/sdk/index.js";
import { skips } from "../../src/backends/skips.cases.js";
import { systemClock } from "../../src/clock.js";
import { startByteCutter } from "../byte-cutter.js";
import { installSdk } from "./install.js";

const sdk = await installSdk({ version: "1.0.32", nodeMajor: "24" });

describeBackend("sdk", { start: () => start(), startCut: () => start({ cuts: true }), skips: skips.sdk });

interface SdkUnderTest extends BackendUnderTest {
  simulator: Simulator;
}

/** The official SDK, unmodified, in front of a simulated Cursor. */
async function start({ cuts = false } = {}, changes: Partial<SdkBackendDeps> = {}): Promise<SdkUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), "curlew-sdk-"));
  const simulator = await startSimulator();
  const cutter = cuts ? await startByteCutter(simulator.url) : undefined;
  const backend = createSdkBackend({
    apiKey: "crsr_sdk_backend",
    backendUrl: cutter?.url ?? simulator.url,
    folder,
    maxAgeMs: 60_000,
    locate: async () => sdk,
    environment: { PATH: process.env.PATH, HOME: folder },
    clock: systemClock,
    limits: defaultSdkLimits,
    ...changes,
  });
  return {
    backend,
    simulator,
    async stop() {
      await backend.close();
      await cutter?.close();
      await simulator.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
