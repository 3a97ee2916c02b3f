import type { TurnTokens } from "./agent-usage.js";
import type { SimulatorOptions } from "./options.js";
import type { Stats } from "./stats.js";
import type { JournalEntry } from "./world.js";

export interface SimulatorStart extends Partial<SimulatorOptions> {
  /** 0, the default, takes any free port. */
  port?: number;
  host?: string;
  /** Called with every message of a client on an agent stream, as it came. */
  onClientMessage?: (payload: Uint8Array) => void;
  /** Called with the usage of each turn on an agent stream, right before the client is sent it. */
  onTurnEnded?: (usage: TurnTokens) => void;
}

export interface Simulator extends Controls {
  readonly url: string;
  /** Closes every connection and stream. */
  close(): Promise<void>;
}

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
