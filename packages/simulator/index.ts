export { NotACapture, readCapture } from "./replay/capture-file.js";
export { createReplay } from "./replay/replay.js";
export type { Simulator, SimulatorStart } from "./server/controls.js";
export {
  defaultOptions,
  flagOf,
  InvalidOption,
  optionTable,
  parseOptions,
  type SimulatorOptions,
} from "./server/options.js";
export { startSimulator, type TakeOver } from "./simulator.js";
