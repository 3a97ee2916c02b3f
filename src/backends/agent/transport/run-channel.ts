import type { GatewayError } from "../../../turn/error.js";
import type { UpstreamFailure } from "../../cursor/failure.js";

/** One attempt at one run, whichever transport carries it: frames in, frames out. */
export interface RunChannel {
  /** When anything last came in; the watchdog reads it. */
  readonly lastInMs: number;
  /** Bytes read since the consumer last took a batch; the consumer sets it back. */
  heldBytes: number;
  readonly isPaused: boolean;
  /** Whether the server reads so little of what it asked for that nothing more is read of its questions. */
  readonly isFull: boolean;
  /** One message in its envelope. */
  write(frame: Buffer): void;
  pause(): void;
  resume(): void;
  /** Ends the run for this reason, unless the server has ended it already. */
  cancel(reason: GatewayError): void;
}

/** What reads a run. */
export interface RunSink {
  message(bytes: Buffer, start: number, end: number): void;
  /** All messages of one chunk have been delivered. */
  flush(): void;
  /** What a failure that Cursor tells means here. */
  judge(failure: UpstreamFailure): GatewayError;
  /** Called exactly once: the run came to its end, well or not. */
  ended(error: GatewayError | undefined): void;
}
