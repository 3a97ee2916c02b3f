import type { Continuity } from "../gateway/index.js";
import type { LedgerEntry } from "../ledger/index.js";
import type { ErrorCode } from "../turn/error.js";

/** What a paragraph is about. */
export type Topic =
  | Continuity
  | "model-changed"
  | "turn-began"
  | "cost"
  | "cache-unused"
  | "large-context"
  | "many-model-calls"
  | "thinking"
  | "retries"
  | "abandoned"
  | "slow-tools"
  | "slow-first-byte"
  | "joined"
  | "client-left"
  | "interrupted"
  | ErrorCode
  /** The ledger was written by another version, which knows more. */
  | "unknown";

/** One thing that the ledger shows about a request, in words. */
export interface Paragraph {
  readonly topic: Topic;
  /** What happened. */
  readonly what: string;
  /** What to change; null where nothing needs to. */
  readonly advice: string | null;
}

/** The requests around one. */
export interface Neighbours {
  /** All requests of the same turn in the order of time, the request itself among them. */
  readonly turn: readonly LedgerEntry[];
  /** The last request of the conversation before this turn. */
  readonly before: LedgerEntry | undefined;
}
