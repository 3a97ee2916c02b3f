import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../testing/manual-clock.js";
import type { Clock } from "../../clock.js";
import { type Beating, KeepAlive } from "./keep-alive.js";

class Stream implements Beating {
  lastMs: number;
  beats = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.lastMs = clock.now();
  }

  beat(): void {
    this.beats++;
    this.speak();
  }

  speak(): void {
    this.lastMs = this.#clock.now();
  }
}

class CountingClock extends ManualClock {
  running = 0;

  override every(intervalMs: number, callback: () => void): () => void {
    this.running++;
    const stop = super.every(intervalMs, callback);
    return () => {
      this.running--;
      stop();
    };
  }
}

describe("keeping streams alive", () => {
  it("makes whoever was silent say something, again and again, and leaves the others alone", () => {
    const clock = new CountingClock();
    const keepAlive = new KeepAlive({ silenceMs: 15_000, clock });
    const silent = new Stream(clock);
    const talking = new Stream(clock);
    keepAlive.add(silent);
    keepAlive.add(talking);
    for (let second = 0; second < 14; second++) clock.advance(1_000);
    expect([silent.beats, talking.beats]).toEqual([0, 0]);
    talking.speak();
    clock.advance(2_000);
    expect([silent.beats, talking.beats]).toEqual([1, 0]);
    clock.advance(15_000);
    expect([silent.beats, talking.beats]).toEqual([2, 1]);
  });

  it("has one timer for all, and none when there is nobody", () => {
    const clock = new CountingClock();
    const keepAlive = new KeepAlive({ silenceMs: 15_000, clock });
    expect(clock.running).toBe(0);
    const remove = [1, 2, 3].map(() => keepAlive.add(new Stream(clock)));
    expect(clock.running).toBe(1);
    for (const each of remove) each();
    expect(clock.running).toBe(0);
    const late = new Stream(clock);
    keepAlive.add(late);
    clock.advance(16_000);
    expect([clock.running, late.beats]).toEqual([1, 1]);
  });

  it("forgets who was removed, and nobody else", () => {
    const clock = new CountingClock();
    const keepAlive = new KeepAlive({ silenceMs: 15_000, clock });
    const gone = new Stream(clock);
    const remove = keepAlive.add(gone);
    const stays = new Stream(clock);
    keepAlive.add(stays);
    remove();
    clock.advance(60_000);
    expect([gone.beats, stays.beats]).toEqual([0, 4]);
  });
});
