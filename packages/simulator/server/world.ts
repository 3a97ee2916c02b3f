import type { AgentUsage, TurnTokens } from "./agent-usage.js";
import type { SimulatorOptions } from "./options.js";
import type { Stats } from "./stats.js";

/** One request as `GET /__sim/requests` shows it: tokens masked, messages decoded to JSON. */
export interface JournalEntry {
  path: string;
  httpVersion: string;
  headers: Record<string, string>;
  /** Client messages in the order in which they were processed. A function is called only when the journal is read. */
  messages: (unknown | (() => unknown))[];
}

export type TokenCheck = { isValid: true } | { isValid: false; reason: TokenProblem };
/** "revoked" is an account that Cursor has flagged (ERROR_UNAUTHORIZED); the others are ERROR_NOT_LOGGED_IN. */
export type TokenProblem = "missing" | "expired" | "unknown" | "revoked";

/** The parts that all rooms of the simulator share. One per running simulator. */
export interface World {
  options: SimulatorOptions;
  stats: Stats;
  /** Opens an entry; the caller appends to its `messages`. Only the newest few hundred entries are kept. */
  record(entry: JournalEntry): void;
  /** Counts the conversation in `stats.conversations`, once until the next reset. */
  noteConversation(id: string): void;
  /** Whether the bearer is one of our access tokens, or the reason why it is not. */
  checkToken(authorization: string | undefined): TokenCheck;
  /** Called with every message of a client on an agent stream, as it came. */
  onClientMessage?: ((payload: Uint8Array) => void) | undefined;
  /** Called with the usage of each turn on an agent stream, right before the client is sent it. */
  onTurnEnded?: ((usage: TurnTokens) => void) | undefined;
  agentUsage: AgentUsage;
  isKnownModel(id: string): boolean;
  contextTokens(id: string): number;
}
