import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import type { GatewayOptions } from "../../packages/cli/app/gateway-options.js";
import { startEmbedded } from "../../packages/cli/app/start/start-embedded.js";
import { type Constants, constants } from "../../packages/cli/config/constants.js";
import type { Settings } from "../../packages/cli/config/settings.js";
import type { Simulator } from "../../packages/simulator/index.js";
import { type StrictStart, startSimulator } from "../simulator/strict-simulator.js";

/** Settings, and constants that only tests can set. */
export type TestSettings = Partial<Settings & Constants>;

export interface WholeSystem {
  /** The address for clients. */
  url: string;
  simulator: Simulator;
  /** Its own folder, deleted when it is closed. */
  home: string;
  /** Starts another gateway on the same state, without the first one's runs, as after a restart. */
  startAnother(): Promise<string>;
  /** Stops its gateways, as a restart does. The state and Cursor stay. */
  closeGateways(): Promise<void>;
  /** Closes all its gateways. */
  close(): Promise<void>;
}

/** A gateway as users run it, on real sockets, in front of a simulated Cursor. `prepare` may write to its home before it starts. */
export async function startWholeSystem(
  simulated: StrictStart = {},
  settings: TestSettings = {},
  prepare: (home: string) => Promise<void> = async () => {},
): Promise<WholeSystem> {
  const home = mkdtempSync(join(tmpdir(), "curlew-test-"));
  await prepare(home);
  const simulator = await startSimulator(simulated);
  const usual = { backendUrl: simulator.url, apiKey: "crsr_whole_system", logLevel: "silent" } as const;
  const start = () => startTestGateway({ home, settings: { ...usual, ...settings } });
  const gateways = [await start()];
  const closeGateways = async () => {
    for (const gateway of gateways.splice(0).reverse()) await gateway.close();
  };
  return {
    url: gateways[0]?.url ?? "",
    simulator,
    home,
    async startAnother() {
      const another = await start();
      gateways.push(another);
      return another.url;
    },
    closeGateways,
    async close() {
      await closeGateways();
      await checkBalance(simulator);
      await simulator.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The same for one test, closed at its end. */
export async function openWholeSystem(...start: Parameters<typeof startWholeSystem>): Promise<WholeSystem> {
  const system = await startWholeSystem(...start);
  onTestFinished(system.close);
  return system;
}

/** `startGateway` with other constants. It stops and retries at once unless the test says otherwise. */
export function startTestGateway({
  settings = {},
  ...options
}: Omit<GatewayOptions, "settings"> & { readonly settings?: TestSettings }) {
  const entries = Object.entries(settings);
  const isConstant = ([name]: [string, unknown]) => Object.hasOwn(constants, name);
  const changes: Partial<Constants> = Object.fromEntries(entries.filter(isConstant));
  const others = Object.fromEntries(entries.filter((entry) => !isConstant(entry)));
  return startEmbedded({ ...options, settings: others }, { graceMs: 0, retryPauseMs: 10, ...changes });
}

/** Waits until the server has no open question and no run left. */
async function checkBalance(simulator: Simulator): Promise<void> {
  await vi.waitFor(() => expect(simulator.stats().runsOpen).toBe(0), 60_000);
  const { execsAsked, execsAnswered, execsThrown, execsAbandoned, ...stats } = simulator.stats();
  expect(execsAsked).toBe(execsAnswered + execsThrown + execsAbandoned);
  expect(stats.queriesAsked).toBe(stats.queriesAnswered + stats.queriesAbandoned);
}
