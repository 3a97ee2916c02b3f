import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claimedClients } from "../../packages/cli/config/client-version.js";
import { loadSettings } from "../../packages/cli/config/load.js";
import { type InnerSettings, innerSettings } from "../../packages/cli/config/settings.js";
import type { BackendUnderTest } from "../../packages/gateway/backends/backend.cases.js";
import type { BackendParts } from "../../packages/gateway/backends/backend-parts.js";
import { type RegisteredBackend, registry } from "../../packages/gateway/backends/registry.js";
import { argumentMisfit } from "../../packages/gateway/core/formats/schema-validators.js";
import { callFingerprint } from "../../packages/gateway/core/tools/loop-guard.js";
import { createNetwork } from "../../packages/gateway/network/index.js";
import { systemClock } from "../../packages/gateway/system/clock.js";
import type { SimulatorOptions } from "../../packages/simulator/index.js";
import { startByteCutter } from "../network/byte-cutter.js";
import { sampleTokens } from "../samples/sample-tokens.js";
import { startSimulator } from "../simulator/strict-simulator.js";

/** The parts of any backend: the default settings with these changes, on a machine with this folder and no login. */
function backendParts(home: string, changes: Partial<InnerSettings> = {}): BackendParts<InnerSettings> {
  const loaded = loadSettings({ home, homeDirectory: home, env: {} });
  const settings = { ...innerSettings(loaded.settings), ...changes };
  return {
    settings,
    clients: claimedClients(settings.clientVersion, settings.profile),
    network: createNetwork(settings),
    fingerprint: callFingerprint,
    loadMisfit: () => Promise.resolve(argumentMisfit()),
    machine: { env: { PATH: process.env.PATH, HOME: home }, platform: process.platform, homeDirectory: home },
    clock: systemClock,
    log: { info() {}, warn() {} },
  };
}

/** Opens a registered backend as users get it. */
export async function openBackend(
  name: RegisteredBackend,
  changes?: Partial<InnerSettings>,
): Promise<BackendUnderTest> {
  const home = mkdtempSync(join(tmpdir(), `curlew-${name}-`));
  const parts = backendParts(home, changes);
  const { open } = await registry[name].open();
  const backend = open(parts)({ tokens: sampleTokens(parts.settings.backendUrl), apiKey: "crsr_test" });
  return {
    backend,
    async stop() {
      await backend.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

interface OnSimulator {
  readonly simulator?: Partial<SimulatorOptions>;
  readonly settings?: Partial<InnerSettings>;
  /** Whether the simulator's bytes are split in the middle of characters. */
  readonly cuts?: boolean;
}

/** The same, with its own simulated Cursor. */
export async function openOnSimulator(name: RegisteredBackend, given: OnSimulator = {}): Promise<BackendUnderTest> {
  const simulator = await startSimulator(given.simulator);
  const cutter = given.cuts ? await startByteCutter(simulator.url) : undefined;
  const { backend, stop } = await openBackend(name, { backendUrl: cutter?.url ?? simulator.url, ...given.settings });
  return {
    backend,
    async stop() {
      await stop();
      await cutter?.close();
      await simulator.close();
    },
  };
}
