import type { SimulatorOptions } from "./options.js";
import type { Stats } from "./stats.js";
import type { JournalEntry } from "./world.js";

/** The control interface of a running simulator, over HTTP or in the same process. */
export interface Controls {
  options(): SimulatorOptions;
  configure(changes: Partial<SimulatorOptions>): void;
  stats(): Stats;
  /** Resets the counters, except those of open things, and clears the journal. */
  reset(): void;
  /** The newest requests, oldest first, with secrets masked. */
  requests(last: number): JournalEntry[];
}
