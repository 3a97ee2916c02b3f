export type { Simulator, SimulatorStart } from "./controls.js";
export { defaultOptions, flagOf, InvalidOption, optionTable, parseOptions, type SimulatorOptions } from "./options.js";
export { NotACapture, readCapture } from "./replay/capture-file.js";
export { createReplay } from "./replay/replay.js";
export { startSimulator, type TakeOver } from "./simulator.js";
