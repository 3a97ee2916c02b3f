import { onTestFinished } from "vitest";
import { type Simulator, startSimulator as start } from "../../packages/simulator/index.js";

/** Includes what only tests and `curlew simulate --replay` set. */
export type StrictStart = NonNullable<Parameters<typeof start>[0]>;

/**
 * A simulator that reads the protocol strictly. Curlew's own tests use no other, so that Curlew sends no less than Cursor's own
 * clients do, however lenient Cursor is.
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
