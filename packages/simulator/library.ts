// The public API of "curlew/simulator": a Cursor without an account, for the tests of any project around Cursor.
import type { Simulator, SimulatorStart } from "./server/controls.js";
import { startSimulator as start } from "./simulator.js";

export type { Simulator, SimulatorStart } from "./server/controls.js";
export type { SimulatorOptions } from "./server/options.js";
export { InvalidOption } from "./server/options.js";
export type { Stats as SimulatorStats } from "./server/stats.js";
export type { JournalEntry } from "./server/world.js";

/** Starts a simulator of Cursor's servers, on a port of its own. */
export const startSimulator: (start?: SimulatorStart) => Promise<Simulator> = start;
