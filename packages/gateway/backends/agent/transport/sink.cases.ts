import { toGatewayError } from "../../cursor/errors.js";
import type { RunSink } from "./run-channel.js";

/** A run's consumer that handles these events and ignores the others. */
export function sinkFor(heard: Partial<RunSink> = {}): RunSink {
  return {
    meter: { sentBytes: 0, receivedBytes: 0 },
    message() {},
    flush() {},
    judge: (failure) => toGatewayError(failure),
    ended() {},
    ...heard,
  };
}
