// What `import ... from "curlew/simulator"` gives: a Cursor without an account, for the tests of any project around Cursor.
export type { SimulatorOptions } from "./options.js";
export { InvalidOption } from "./options.js";
export { type Simulator, type SimulatorStart, startSimulator } from "./simulator.js";
export type { Stats as SimulatorStats } from "./stats.js";
export type { JournalEntry } from "./world.js";
