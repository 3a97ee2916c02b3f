export { defaultOptions, InvalidOption, parseOptions, type SimulatorOptions } from "./options.js";
export { type Simulator, type SimulatorStart, startSimulator } from "./simulator.js";
