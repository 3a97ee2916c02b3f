import { afterAll, beforeEach } from "vitest";
import { defaultOptions, type Simulator, type SimulatorOptions } from "../../packages/simulator/index.js";
import { startSimulator } from "./strict-simulator.js";

/** One simulator for all tests of a file, reset before each. */
export async function sharedSimulator(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const simulator = await startSimulator();
  afterAll(() => simulator.close());
  beforeEach(() => {
    simulator.configure({ ...defaultOptions, ...options });
    simulator.reset();
  });
  return simulator;
}
