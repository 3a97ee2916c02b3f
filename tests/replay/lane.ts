import type { SimulatorStart } from "../../packages/simulator/index.js";
import { startWholeSystem, type TestSettings, type WholeSystem } from "../../testing/gateway/whole-system.js";
import { type CuttingRelay, startCuttingRelay } from "../../testing/network/cutting-relay.js";

/**
 * A whole system with a relay on its agent streams. Runs one conversation at a time, so that the relay counts only that one.
 */
export interface Lane {
  readonly system: WholeSystem;
  readonly relay: CuttingRelay;
  close(): Promise<void>;
}

export async function openLane(simulated: SimulatorStart = {}, options: TestSettings = {}): Promise<Lane> {
  const relay = await startCuttingRelay();
  const system = await startWholeSystem(simulated, { agentUrl: relay.url, ...options });
  relay.connectTo(system.simulator.url);
  return {
    system,
    relay,
    async close() {
      await system.close();
      await relay.close();
    },
  };
}

/** Runs every job on the next free lane. */
export async function spread<Job, Each>(
  lanes: readonly Each[],
  jobs: readonly Job[],
  run: (lane: Each, job: Job) => Promise<void>,
): Promise<void> {
  const waiting = [...jobs].reverse();
  await Promise.all(
    lanes.map(async (lane) => {
      for (let job = waiting.pop(); job !== undefined; job = waiting.pop()) await run(lane, job);
    }),
  );
}
