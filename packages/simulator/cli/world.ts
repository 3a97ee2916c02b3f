import type { Clock } from "../server/clock.js";
import type { Recorder } from "./recorder.js";
import type { Scenario } from "./scenario.js";

/** The environment of one run of the command. */
export interface World {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly scenario: Scenario;
  readonly clock: Clock;
  readonly recorder: Recorder;
  newId(): string;
  /** Reads standard input to its end. */
  readStdin(): Promise<string>;
  /** Standard input piece by piece. */
  readonly input: AsyncIterable<Uint8Array>;
  out(text: string): void;
  err(text: string): void;
  /** Ends the process as a crash would. */
  crash(): never;
}

/** The command is refused: the text goes to stderr, and nothing to stdout. */
export class Refused extends Error {}
