import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../../../testing/manual-clock.js";
import { execHeartbeatFrame, heartbeatFrame } from "../answers/encode.js";
import { RunChannel } from "../transport/run-channel.js";
import { sinkFor } from "../transport/sink.cases.js";
import { EndWatch, Liveness } from "./liveness.js";

/** A run whose server sends a heartbeat before every tick. */
class RecordedRun extends RunChannel {
  readonly isPaused = false;
  readonly isFull = false;
  protected readonly incoming = undefined;
  readonly written: Buffer[] = [];

  write(frame: Buffer): void {
    this.written.push(frame);
  }

  protected reset(): void {}

  protected letGo(): void {}
}

/** Counts the iterations over its members. */
class WatchedCalls extends Set<{ readonly asked: { readonly execId: number } }> {
  reads = 0;

  override [Symbol.iterator]() {
    this.reads++;
    return super[Symbol.iterator]();
  }
}

it("sends the heartbeats of a parked run when due, and does nothing in between", () => {
  const clock = new ManualClock();
  const ended: unknown[] = [];
  const run = new RecordedRun(sinkFor({ ended: (error) => void ended.push(error) }), clock.now);
  const liveness = new Liveness({ heartbeatMs: 5_000, silenceMs: 30_000, stallMs: 300_000 }, clock);
  const calls = new WatchedCalls([{ asked: { execId: 2 } }, { asked: { execId: 3 } }]);
  for (let second = 1; second <= 600; second++) {
    clock.advance(1_000);
    run.lastInMs = clock.now();
    liveness.tick(run, calls, clock.now(), false);
  }
  const count = (frame: Buffer) => run.written.filter((written) => written === frame).length;
  expect(count(heartbeatFrame)).toBe(120);
  expect([count(execHeartbeatFrame(2)), count(execHeartbeatFrame(3))]).toEqual([200, 200]);
  expect(run.written).toHaveLength(120 + 2 * 200); // all of them are shared frames
  expect(calls.reads).toBe(200);
  expect(ended).toEqual([]);
});

describe("a turn that has ended on a stream that has not", () => {
  let clock: ManualClock;
  let overdue: number;
  let watch: EndWatch;
  beforeEach(() => {
    clock = new ManualClock();
    overdue = 0;
    watch = new EndWatch(clock, () => void overdue++);
  });

  it("is waited for longer while its checkpoint is missing, but for less than two seconds", () => {
    watch.onTurnEnded(false);
    clock.advance(1_000);
    watch.onTurnEnded(false); // heartbeats do not extend the wait
    expect(overdue).toBe(0);
    clock.advance(999);
    expect(overdue).toBe(1);
  });

  it("is over soon after its checkpoint, whatever follows", () => {
    watch.onTurnEnded(false);
    clock.advance(200);
    watch.onTurnEnded(true);
    clock.advance(200);
    watch.onTurnEnded(true);
    watch.onTurnEnded(false);
    clock.advance(100);
    expect(overdue).toBe(1);
  });

  it("is not over when another stream has begun", () => {
    watch.onTurnEnded(true);
    watch.reset();
    clock.advance(10_000);
    expect(overdue).toBe(0);
  });

  it("waits again when there is unread input", () => {
    watch.onTurnEnded(false);
    clock.advance(1_600);
    watch.wait();
    clock.advance(1_600);
    expect(overdue).toBe(2);
  });
});
