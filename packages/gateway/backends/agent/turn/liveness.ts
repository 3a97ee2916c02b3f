import type { Clock } from "../../../system/clock.js";
import { GatewayError } from "../../../turn/error.js";
import { execHeartbeatFrame, heartbeatFrame } from "../answers/encode.js";
import type { RunChannel } from "../transport/run-channel.js";

/** How often the server learns that a call is still running, as in Cursor's own SDK (docs/protocol/wire.md, timing). */
const EXEC_HEARTBEAT_MS = 3_000;

export interface LivenessLimits {
  /** The interval of the heartbeats that show Cursor that we are connected. */
  readonly heartbeatMs: number;
  /** A stream without a byte for this long is dead. */
  readonly silenceMs: number;
  /** A turn with nothing but heartbeats for this long is stuck. Time in which the client runs calls does not count. */
  readonly stallMs: number;
}

type OpenCalls = ReadonlySet<{ readonly asked: { readonly execId: number } | undefined }>;

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

  /** `isLate` says that this machine was asleep or busy, so the server's bytes of that time have not been read yet. */
  tick(run: RunChannel, openCalls: OpenCalls, nowMs: number, isLate: boolean): void {
    const { heartbeatMs, silenceMs, stallMs } = this.#limits;
    if (nowMs - this.#lastHeartbeatMs >= heartbeatMs) {
      this.#lastHeartbeatMs = nowMs;
      run.write(heartbeatFrame);
    }
    if (nowMs - this.#lastExecHeartbeatMs >= EXEC_HEARTBEAT_MS) {
      this.#lastExecHeartbeatMs = nowMs;
      for (const { asked } of openCalls) if (asked !== undefined) run.write(execHeartbeatFrame(asked.execId));
    }
    if (run.isPaused || isLate) return; // the silence is caused by us
    if (nowMs - run.lastInMs >= silenceMs && run.isFull) {
      const text = `Cursor has not read Curlew's answers for ${Math.round(silenceMs / 1000)} s, so Curlew ended the run. Try again later.`;
      run.cancel(new GatewayError("upstream_error", text));
    } else if (nowMs - run.lastInMs >= silenceMs) {
      const text = `Cursor has sent nothing for ${Math.round(silenceMs / 1000)} s; the connection is dead. Try again; if it keeps happening, run \`curlew doctor\`.`;
      run.cancel(new GatewayError("timeout", text, { isRetryable: true }));
    } else if (nowMs - this.lastProgressMs >= stallMs && openCalls.size === 0) {
      const text = `The model has made no progress for ${Math.round(stallMs / 1000)} s. Try again or simplify the task.`;
      run.cancel(new GatewayError("timeout", text));
    }
  }
}

/**
 * The last checkpoint follows the end of a turn within milliseconds, but under load one came after more than a second
 * (docs/protocol/live-behaviour.md). Without it the next turn has to resend the whole conversation, so waiting is worth it, up
 * to what a reader tolerates.
 */
const CHECKPOINT_GRACE_MS = 1_500;
/** The end of the stream follows the last checkpoint at once or never. Waiting for it saves a reset. */
const END_GRACE_MS = 250;

/** Some servers leave the stream open after the end of a turn. The answer is complete then, so we wait only briefly for more. */
export class EndWatch {
  readonly #clock: Clock;
  readonly #onOverdue: () => void;
  #stage: "running" | "ended" | "settled" = "running";
  #stopTimer: () => void = () => {};

  constructor(clock: Clock, onOverdue: () => void) {
    this.#clock = clock;
    this.#onOverdue = onOverdue;
  }

  /** Called when the turn has ended, with or without its last checkpoint, and any number of times. */
  onTurnEnded(isSettled: boolean): void {
    const stage = isSettled ? "settled" : "ended";
    if (this.#stage === stage || this.#stage === "settled") return;
    this.#stage = stage;
    this.wait();
  }

  wait(): void {
    this.#stopTimer();
    const graceMs = this.#stage === "settled" ? END_GRACE_MS : CHECKPOINT_GRACE_MS;
    this.#stopTimer = this.#clock.after(graceMs, this.#onOverdue);
  }

  reset(): void {
    this.#stopTimer();
    this.#stage = "running";
  }
}
