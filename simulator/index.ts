export { defaultOptions, InvalidOption, parseOptions, type SimulatorOptions } from "./options.js";
export { type Simulator, type SimulatorStart, startSimulator } from "./simulator.js";
export type { Stats } from "./stats.js";
export type { JournalEntry } from "./world.js";
