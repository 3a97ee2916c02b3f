import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../../testing/manual-clock.js";
import { OpenRuns } from "./open-runs.js";

let clock: ManualClock;
let runs: OpenRuns;
beforeEach(() => {
  clock = new ManualClock();
  runs = new OpenRuns(clock, { maxRuns: 2, runWaitMs: 65_000 });
});

/** Waits for a place under a name. */
function queue(name: string, begun: string[], signal = new AbortController().signal): Promise<void> {
  return runs.beginLater(signal).then(() => void begun.push(name));
}

/** A client that stays. */
function stays(): AbortSignal {
  return new AbortController().signal;
}

describe("the runs that are open", () => {
  it("are counted up to their peak", () => {
    const many = new OpenRuns(clock, { maxRuns: Number.POSITIVE_INFINITY, runWaitMs: 1 });
    for (let count = 0; count < 300; count++) many.begin();
    many.end();
    expect([many.open, many.peak, many.hasRoom]).toEqual([299, 300, true]);
  });

  it("pass their places to waiting requests only, in order of arrival", async () => {
    const begun: string[] = [];
    runs.begin();
    runs.begin();
    const waiting = ["first", "second", "third"].map((name) => queue(name, begun));
    expect([runs.waiting, runs.hasRoom]).toEqual([3, false]);
    runs.end();
    expect(runs.hasRoom).toBe(false); // for a new request, while others wait
    runs.end();
    await Promise.all(waiting.slice(0, 2));
    expect([begun, runs.open, runs.waiting]).toEqual([["first", "second"], 2, 1]);
    runs.end();
    await waiting[2];
    for (let count = 0; count < 2; count++) runs.end();
    expect([begun.at(-1), runs.open, runs.peak, runs.hasRoom]).toEqual(["third", 0, 2, true]);
  });

  it("refuse a request that has waited too long, and say why", async () => {
    runs.begin();
    runs.begin();
    const refused = runs.beginLater(stays());
    clock.advance(64_999);
    expect(runs.waiting).toBe(1);
    clock.advance(1);
    await expect(refused).rejects.toMatchObject({
      code: "rate_limit_exceeded",
      message: expect.stringMatching(/careful, which allows 2 runs at Cursor at once.* No place became free within /),
      retryAfterMs: 15_000,
      isOwnRefusal: true,
    });
    runs.end();
    expect([runs.waiting, runs.open, runs.hasRoom]).toEqual([0, 1, true]);
  });

  it("drop a request whose client leaves, and those behind it move up", async () => {
    const begun: string[] = [];
    const client = new AbortController();
    runs.begin();
    runs.begin();
    const left = queue("left", begun, client.signal);
    const stayed = queue("stayed", begun);
    client.abort();
    await expect(left).rejects.toMatchObject({ code: "canceled" });
    runs.end();
    await stayed;
    expect([begun, runs.open]).toEqual([["stayed"], 2]);
    await expect(runs.beginLater(client.signal)).rejects.toMatchObject({ code: "canceled" });
  });

  it("refuse waiting and new requests when the gateway stops", async () => {
    runs.begin();
    runs.begin();
    const waiting = runs.beginLater(stays());
    runs.close();
    await expect(waiting).rejects.toMatchObject({ code: "shutting_down" });
    await expect(runs.beginLater(stays())).rejects.toMatchObject({ code: "shutting_down" });
    expect(clock.sleeping).toBe(0);
  });
});
