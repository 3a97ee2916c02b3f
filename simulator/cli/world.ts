import type { Clock } from "../clock.js";
import type { Recorder } from "./recorder.js";
import type { Scenario } from "./scenario.js";

/** What one call of the command has around it. */
export interface World {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly scenario: Scenario;
  readonly clock: Clock;
  readonly recorder: Recorder;
  newId(): string;
  /** To the end of standard input. */
  readStdin(): Promise<string>;
  /** Standard input piece by piece. */
  readonly input: AsyncIterable<Uint8Array>;
  out(text: string): void;
  err(text: string): void;
  /** Ends the process as a crash would. */
  crash(): never;
}

/** Refused: the text goes to stderr, nothing to stdout. */
export class Refused extends Error {}
