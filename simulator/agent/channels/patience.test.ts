import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../testing/manual-clock.js";
import { Patience } from "./patience.js";

function watched(countsFrom: "now" | "last-heard") {
  const clock = new ManualClock(0);
  const patience = new Patience(clock, () => 1_000);
  const lost: number[] = [];
  clock.advance(500);
  const stop = patience.watch(countsFrom, () => lost.push(clock.now()));
  return { clock, patience, lost, stop };
}

describe("patience", () => {
  it("ends when the limit has passed since the question", () => {
    const { clock, patience, lost } = watched("now");
    clock.advance(900);
    patience.hear();
    clock.advance(99);
    expect(lost).toEqual([]);
    clock.advance(5_000);
    expect(lost).toEqual([1_500]);
  });

  it("lasts while the client gives signs of life", () => {
    const { clock, patience, lost } = watched("last-heard");
    for (let n = 0; n < 20; n += 1) {
      clock.advance(900);
      patience.hear();
    }
    expect(lost).toEqual([]);
    clock.advance(5_000);
    expect(lost).toEqual([19_500]);
  });

  it("is never lost on what was answered", () => {
    const { clock, lost, stop } = watched("now");
    clock.advance(999);
    stop();
    clock.advance(5_000);
    expect(lost).toEqual([]);
  });
});
