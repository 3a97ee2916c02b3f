import { beforeEach, describe, expect, it } from "vitest";
import { scriptedBackend, startContext, userTurn } from "../../../../testing/backends/scripted/index.js";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { sampleRun } from "../../../../testing/samples/sample-run.js";
import { called } from "../../../../testing/samples/sample-turns.js";
import type { TurnEvent } from "../../turn/event.js";
import { RequestRecord } from "../../turn/events/channels.js";
import { type ParkedRun, ParkingLot } from "./parking.js";

const LEASE_MS = 900_000;
let clock: ManualClock;
let lot: ParkingLot;

beforeEach(() => {
  clock = new ManualClock();
  lot = new ParkingLot(clock, { leaseMs: LEASE_MS, maxParkedRuns: 3 });
});

/** A run that waits for the results of these calls. */
async function runWith(owner: string, ...callIds: string[]) {
  const calls = callIds.map((id): TurnEvent => ({ type: "call", id, name: "tool", runs: "client" }));
  const backend = scriptedBackend({ steps: [[...calls, called]] });
  const exchange = backend.start(userTurn("hi"), startContext()) as (typeof backend.exchanges)[number];
  for await (const _batch of exchange.events());
  const run = sampleRun(exchange, { owner, seenCalls: new Set(callIds) });
  return { ...run, exchange };
}

async function parked(...callIds: string[]) {
  const run = await runWith("me", ...callIds);
  lot.park(run);
  return run;
}

/** Finds the run of one of these calls, and claims it. */
function claim(owner: string, callIds: string[]): ParkedRun | undefined {
  const run = lot.find(owner, callIds);
  return run !== undefined && lot.claim(run) ? run : undefined;
}

describe("a parked run", () => {
  it("is found by any of its calls, once", async () => {
    const run = await parked("a", "b");
    expect(lot.size).toBe(1);
    expect(claim("me", ["unknown", "b"])).toBe(run);
    expect(claim("me", ["a"])).toBeUndefined();
    expect(lot.fate("me", ["a"])).toBe("raced");
    expect(lot.size).toBe(0);
  });

  it("stays parked when found, and goes to the first claim", async () => {
    const run = await parked("a");
    expect([lot.find("me", ["a"]), lot.find("me", ["a"]), lot.size]).toEqual([run, run, 1]);
    expect([lot.claim(run), lot.claim(run), lot.size]).toEqual([true, false, 0]);
  });

  it("is found although an older run with the same call, as in a conversation without ids, has ended", async () => {
    const older = await parked("a");
    const run = await parked("a");
    lot.giveUp(older);
    expect(claim("me", ["a"])).toBe(run);
  });

  it("is found only by its owner", async () => {
    lot.park(await runWith("me", "a"));
    expect(claim("you", ["a"])).toBeUndefined();
    expect(lot.fate("you", ["a"])).toBeUndefined();
    expect(claim("me", ["a"])).toBeDefined();
  });

  it("is closed when its lease ends", async () => {
    const run = await parked("a");
    clock.advance(LEASE_MS - 1);
    expect(run.exchange.closedWith).toBeUndefined();
    clock.advance(1_000);
    expect(run.exchange.closedWith).toBe("lease-expired");
    expect(claim("me", ["a"])).toBeUndefined();
    expect(lot.fate("me", ["a"])).toBe("expired");
  });

  it("is shown with the end of its lease, which does not change while it waits", async () => {
    const run = await runWith("me", "a", "b");
    lot.park({ ...run, pausedMs: clock.now() });
    const parkedMs = clock.now();
    const shown = {
      request: run.pausedBy,
      model: "auto",
      calls: 2,
      pausedMs: parkedMs,
      leaseEndsMs: parkedMs + LEASE_MS,
    };
    expect(lot.waiting()).toEqual([shown]);
    clock.advance(12_345);
    expect(lot.waiting()).toEqual([shown]);
    claim("me", ["a"]);
    expect(lot.waiting()).toEqual([]);
  });

  it("gets a new lease when it is parked again", async () => {
    const run = await parked("a");
    clock.advance(LEASE_MS - 1_000);
    claim("me", ["a"]);
    lot.park(run);
    clock.advance(LEASE_MS - 1_000);
    expect(run.exchange.closedWith).toBeUndefined();
    expect(claim("me", ["a"])).toBe(run);
  });

  it("that upstream ends is removed, and its fate remembered", async () => {
    const run = await parked("a");
    run.exchange.close("superseded");
    await run.exchange.closed;
    expect(lot.size).toBe(0);
    expect(lot.fate("me", ["a"])).toBe("lost");
  });

  it("stays parked when it was claimed and parked again", async () => {
    const run = await parked("a");
    claim("me", ["a"]);
    lot.park(run);
    expect(lot.size).toBe(1);
  });
});

it("reports an abandoned run once, with the reason", async () => {
  const reasons: string[] = [];
  lot = new ParkingLot(clock, { leaseMs: LEASE_MS, maxParkedRuns: 3 }, (_, reason) => reasons.push(reason));
  await parked("a");
  expect([lot.stop("another conversation"), lot.stop(), lot.stop()]).toEqual([0, 1, 0]);
  lot.giveUp(await parked("b"));
  await parked("c");
  clock.advance(LEASE_MS + 1_000);
  await parked("d");
  lot.close();
  expect(reasons).toEqual(["stopped", "superseded", "lease-expired", "shutdown"]);
});

describe("a run whose only tool was forced", () => {
  it("waits for a minute, but never longer than others", async () => {
    const run = await runWith("me", "a");
    lot.park({ ...run, isForced: true });
    clock.advance(59_000);
    expect(run.exchange.closedWith).toBeUndefined();
    clock.advance(2_000);
    expect(run.exchange.closedWith).toBe("lease-expired");
    expect(lot.fate("me", ["a"])).toBe("expired");
    const impatient = new ParkingLot(clock, { leaseMs: 1_000, maxParkedRuns: 3 });
    const second = await runWith("me", "b");
    impatient.park({ ...second, isForced: true });
    clock.advance(2_000);
    expect(second.exchange.closedWith).toBe("lease-expired");
  });
});

it("a forced call that the client asked for by itself is its answer: the run does not wait", async () => {
  const pausedBy = Object.assign(new RequestRecord("", "", 0), { side: "check" as const });
  const [forced, free] = [await runWith("me", "a"), await runWith("me", "b")];
  lot.park({ ...forced, pausedBy, isForced: true });
  // A model that judges with tools gets their results.
  lot.park({ ...free, pausedBy });
  clock.advance(500);
  expect([forced, free].map(({ exchange }) => exchange.closedWith)).toEqual(["lease-expired", undefined]);
});

describe("too many parked runs", () => {
  it("close the oldest, as if its lease had ended", async () => {
    const runs = await Promise.all(["a", "b", "c", "d"].map((id) => runWith("me", id, `${id} too`)));
    for (const run of runs) {
      lot.park(run);
      clock.advance(1);
    }
    expect(runs.map(({ exchange }) => exchange.closedWith)).toEqual(["lease-expired", undefined, undefined, undefined]);
    expect([lot.size, lot.letGo]).toEqual([3, 1]);
    expect(claim("me", ["a"])).toBeUndefined();
    expect(lot.fate("me", ["a too"])).toBe("expired");
    expect(claim("me", ["b"])).toBe(runs[1]);
  });

  it("close forced ones first", async () => {
    const forced = await runWith("me", "forced");
    const [first, second, third] = await Promise.all(["a", "b", "c"].map((id) => runWith("me", id)));
    if (first === undefined || second === undefined || third === undefined) throw new Error("three were made");
    lot.park(first);
    lot.park({ ...forced, isForced: true });
    lot.park(second);
    lot.park(third);
    expect(forced.exchange.closedWith).toBe("lease-expired");
    expect(claim("me", ["a"])).toBe(first);
  });

  it("are also those with too many bytes together, but never the newest alone", async () => {
    const MiB = 1024 * 1024;
    const runs = await Promise.all(["a", "b", "c"].map((id) => runWith("me", id)));
    const sizes = [70 * MiB, 50 * MiB, 130 * MiB];
    for (const [index, run] of runs.entries()) {
      lot.park({ ...run, bytes: sizes[index] ?? 0 });
      clock.advance(1);
    }
    expect(runs.map(({ exchange }) => exchange.closedWith)).toEqual(["lease-expired", "lease-expired", undefined]);
    expect([lot.size, lot.letGo]).toEqual([1, 2]);
    claim("me", ["c"]);
    for (const run of await Promise.all(["d", "e"].map((id) => runWith("me", id))))
      lot.park({ ...run, bytes: 60 * MiB });
    expect(lot.size).toBe(2);
  });

  it("close one of the owner who holds the most, by number or size, not an older one of another owner", async () => {
    const fates = async (runs: readonly [owner: string, bytes: number][]) => {
      lot = new ParkingLot(clock, { leaseMs: LEASE_MS, maxParkedRuns: 3 });
      const parked = await Promise.all(runs.map(([owner], index) => runWith(owner, `call ${index}`)));
      for (const [index, run] of parked.entries()) {
        lot.park({ ...run, bytes: runs[index]?.[1] ?? 0 });
        clock.advance(1);
      }
      return parked.map(({ exchange }) => exchange.closedWith ?? "waits");
    };
    const waits = ["waits", "waits"];
    expect(await fates([["you", 1], ["me", 1], ["me", 1], ["me", 1]])).toEqual(["waits", "lease-expired", ...waits]); // biome-ignore format: a table
    const MiB = 1024 * 1024;
    expect(await fates([["you", 60 * MiB], ["me", 70 * MiB], ["me", MiB]])).toEqual(["waits", "lease-expired", "waits"]); // biome-ignore format: a table
  });

  it("do not count what is claimed, lost or expired", async () => {
    for (const id of ["a", "b"]) lot.park(await runWith("me", id));
    claim("me", ["a"]);
    const lost = await runWith("me", "lost");
    lot.park(lost);
    lost.exchange.close("superseded");
    await lost.exchange.closed;
    for (const id of ["c", "d"]) lot.park(await runWith("me", id));
    expect([lot.size, lot.letGo]).toEqual([3, 0]);
    clock.advance(LEASE_MS + 1_000);
    expect([lot.size, lot.letGo]).toEqual([0, 0]);
  });
});

describe("fates", () => {
  it("are remembered for the newest ten thousand calls", async () => {
    for (let index = 0; index < 10_001; index++) {
      lot.park(await runWith("me", `call ${index}`));
      claim("me", [`call ${index}`]);
    }
    expect(lot.fate("me", ["call 0"])).toBeUndefined();
    expect(lot.fate("me", ["call 1"])).toBe("raced");
  });
});

describe("a change of the system time", () => {
  it("makes no lease longer or shorter", async () => {
    const run = await parked("a");
    clock.setBack(-3_600_000);
    clock.advance(LEASE_MS - 1_000);
    expect(run.exchange.closedWith).toBeUndefined();
    clock.setBack(30 * 24 * 3_600_000);
    clock.advance(2_000);
    expect(run.exchange.closedWith).toBe("lease-expired");
  });
});
