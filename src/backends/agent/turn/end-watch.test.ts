import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { EndWatch } from "./end-watch.js";

describe("a turn that has ended on a stream that has not", () => {
  let clock: ManualClock;
  let overdue: number;
  let watch: EndWatch;
  beforeEach(() => {
    clock = new ManualClock();
    overdue = 0;
    watch = new EndWatch({ clock, onOverdue: () => void overdue++ });
  });

  it("is waited for longer while its checkpoint is missing, and never for two seconds", () => {
    watch.onTurnEnded(false);
    clock.advance(1_000);
    watch.onTurnEnded(false); // heartbeats do not extend the wait
    expect(overdue).toBe(0);
    clock.advance(999);
    expect(overdue).toBe(1);
  });

  it("is over soon after its checkpoint, whatever comes behind that", () => {
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

  it("waits again when what came was not read", () => {
    watch.onTurnEnded(false);
    clock.advance(1_600);
    watch.wait();
    clock.advance(1_600);
    expect(overdue).toBe(2);
  });
});
