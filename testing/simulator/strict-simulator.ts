import { startSimulator as start } from "../../simulator/index.js";
import type { Simulator, SimulatorStart } from "../../simulator/simulator.js";

/**
 * A simulator that reads the protocol strictly. Curlew's own tests use no other, so that it sends no less than Cursor's own clients
 * do, however much Cursor forgives.
 */
export function startSimulator(given: SimulatorStart = {}): Promise<Simulator> {
  return start({ strict: true, ...given });
}
