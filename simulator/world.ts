import type { SimulatorOptions } from "./options.js";
import type { Stats } from "./stats.js";

/** One request as `GET /__sim/requests` shows it: headers with tokens masked, messages decoded to JSON. */
export interface JournalEntry {
  path: string;
  httpVersion: string;
  headers: Record<string, string>;
  /** Client messages in the order in which they were processed. */
  messages: unknown[];
}

/** What all rooms of the simulator share. One per running simulator. */
export interface World {
  options: SimulatorOptions;
  stats: Stats;
  /** Opens an entry; the caller appends to its `messages`. Only the newest few hundred entries are kept. */
  record(entry: JournalEntry): void;
  /** The subject of a valid access token, or a reason why it is not one. */
  checkToken(
    authorization: string | undefined,
  ): { isValid: true } | { isValid: false; reason: "missing" | "expired" | "unknown" };
  isKnownModel(id: string): boolean;
  contextTokens(id: string): number;
}
