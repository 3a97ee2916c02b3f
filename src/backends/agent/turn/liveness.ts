import type { Clock } from "../../../clock.js";
import { GatewayError } from "../../../turn/error.js";
import { encodeExecHeartbeat, heartbeatFrame } from "../answers/encode.js";
import type { RunChannel } from "../transport/run-channel.js";

/** How often the server is told that a call is still being worked on; Cursor's own SDK does it about as often. */
const EXEC_HEARTBEAT_MS = 3_000;

export interface LivenessLimits {
  /** Sent while a run is open, so that Cursor knows we are there. */
  readonly heartbeatMs: number;
  /** Not a byte for so long: the stream is dead. */
  readonly silenceMs: number;
  /** Only heartbeats for so long: the turn is stuck. Does not count while the client has calls to run. */
  readonly stallMs: number;
}

/** What must be said or noticed on a run while nothing else happens. */
export class Liveness {
  lastProgressMs: number;
  readonly #limits: LivenessLimits;
  #lastHeartbeatMs: number;
  #lastExecHeartbeatMs: number;

  constructor(limits: LivenessLimits, clock: Pick<Clock, "now">) {
    this.#limits = limits;
    this.lastProgressMs = this.#lastHeartbeatMs = this.#lastExecHeartbeatMs = clock.now();
  }

  onNewRun(nowMs: number): void {
    this.lastProgressMs = this.#lastHeartbeatMs = nowMs;
  }

  /** `isLate`: this machine was asleep or busy, and what the server sent in the meantime has not been read yet. */
  tick(run: RunChannel, openExecIds: readonly number[], { nowMs, isLate }: { nowMs: number; isLate: boolean }): void {
    const { heartbeatMs, silenceMs, stallMs } = this.#limits;
    if (nowMs - this.#lastHeartbeatMs >= heartbeatMs) {
      this.#lastHeartbeatMs = nowMs;
      run.write(heartbeatFrame);
    }
    if (nowMs - this.#lastExecHeartbeatMs >= EXEC_HEARTBEAT_MS) {
      this.#lastExecHeartbeatMs = nowMs;
      for (const execId of openExecIds) run.write(encodeExecHeartbeat(execId));
    }
    if (run.isPaused || isLate) return; // the silence is our own doing
    if (nowMs - run.lastInMs >= silenceMs && run.isFull) {
      const text = `Cursor asked for more than it has read in ${Math.round(silenceMs / 1000)} s, so Curlew ended the run. Try again later.`;
      run.cancel(new GatewayError("upstream_error", text));
    } else if (nowMs - run.lastInMs >= silenceMs) {
      const text = `Cursor has sent nothing for ${Math.round(silenceMs / 1000)} s; the connection is dead. Try again.`;
      run.cancel(new GatewayError("timeout", text, { isRetryable: true }));
    } else if (nowMs - this.lastProgressMs >= stallMs && openExecIds.length === 0) {
      const text = `The model has made no progress for ${Math.round(stallMs / 1000)} s. Try again or simplify the task.`;
      run.cancel(new GatewayError("timeout", text));
    }
  }
}
