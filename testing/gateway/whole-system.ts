import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { type Simulator, type SimulatorStart, startSimulator } from "../../simulator/index.js";
import type { Settings } from "../../src/config/settings.js";
import { startGateway } from "../../src/index.js";

export interface WholeSystem {
  /** The address for clients. */
  url: string;
  simulator: Simulator;
  /** Its own folder, deleted when it is closed. */
  home: string;
  close(): Promise<void>;
}

/** A gateway as users run it, in front of a simulated Cursor, on real sockets, with its own home. */
export async function startWholeSystem(
  simulated: SimulatorStart = {},
  settings: Partial<Settings> = {},
): Promise<WholeSystem> {
  const home = mkdtempSync(join(tmpdir(), "curlew-test-"));
  const simulator = await startSimulator(simulated);
  const usual = { backendUrl: simulator.url, apiKey: "crsr_whole_system", logLevel: "silent", graceMs: 0 };
  const gateway = await startGateway({ home, settings: { ...usual, ...settings } });
  return {
    url: gateway.url,
    simulator,
    home,
    async close() {
      await gateway.close();
      await checkBalance(simulator);
      await simulator.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Waits until the server has no open question and no run left. */
async function checkBalance(simulator: Simulator): Promise<void> {
  await vi.waitFor(() => expect(simulator.stats().runsOpen).toBe(0), 60_000);
  const { execsAsked, execsAnswered, execsThrown, execsAbandoned, ...stats } = simulator.stats();
  expect(execsAsked).toBe(execsAnswered + execsThrown + execsAbandoned);
  expect(stats.queriesAsked).toBe(stats.queriesAnswered + stats.queriesAbandoned);
}
