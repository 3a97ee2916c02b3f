import { onTestFinished } from "vitest";
import { type Simulator, startSimulator as start } from "../../simulator/index.js";

/** With what only tests and `curlew simulate --replay` set, too. */
export type StrictStart = NonNullable<Parameters<typeof start>[0]>;

/**
 * A simulator that reads the protocol strictly. Curlew's own tests use no other, so that it sends no less than Cursor's own clients
 * do, however much Cursor forgives.
 */
export function startSimulator(given: StrictStart = {}): Promise<Simulator> {
  return start({ strict: true, ...given });
}

/** The same, for one test. */
export async function openSimulator(given: StrictStart = {}): Promise<Simulator> {
  const simulator = await startSimulator(given);
  onTestFinished(() => simulator.close());
  return simulator;
}
