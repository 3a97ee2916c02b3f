import type { Clock } from "../clock.js";

export interface LedgerOptions {
  readonly folder: string;
  /** Where earlier versions kept the usage of each day. */
  readonly formerFolder: string;
  /** Whose requests are written down. */
  readonly gateway: string;
  readonly clock: Clock;
  /** How many days are kept. */
  readonly keptDays: number;
  /** Whether the texts of requests and answers are kept in the journal. */
  readonly keepsTexts: boolean;
  /** Takes problems that harm no request. */
  readonly onProblem: (problem: unknown) => void;
}
