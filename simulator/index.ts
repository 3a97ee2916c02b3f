export type { Simulator, SimulatorStart } from "./controls.js";
export { defaultOptions, InvalidOption, parseOptions, type SimulatorOptions } from "./options.js";
export { startSimulator, type TakeOver } from "./simulator.js";
