// The public API of "curlew/simulator": a Cursor without an account, for the tests of any project around Cursor.
import type { Simulator, SimulatorStart } from "./controls.js";
import { startSimulator as start } from "./simulator.js";

export type { Simulator, SimulatorStart } from "./controls.js";
export type { SimulatorOptions } from "./options.js";
export { InvalidOption } from "./options.js";
export type { Stats as SimulatorStats } from "./stats.js";
export type { JournalEntry } from "./world.js";

/** Starts a simulator of Cursor's servers, on a port of its own. */
export const startSimulator: (start?: SimulatorStart) => Promise<Simulator> = start;
