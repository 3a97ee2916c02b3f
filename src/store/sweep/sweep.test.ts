import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type SampleBlob, sampleBlob, sampleCheckpoint, stateNaming } from "../../../testing/samples/sample-state.js";
import { type OpenForTest, StoreUnderTest } from "../../../testing/store/store-under-test.js";
import { memoryTables } from "../memory.js";
import type { Store } from "../store.js";
import { TableStore } from "../table-store.js";
import { makeTables, type Table, type Tables } from "../tables.js";
import { describeSweeping } from "./sweep.cases.js";

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A store whose tables outlive it, as after a kill. The 1st, 3rd, 6th, 10th ... slice is the last one before it is opened again. */
const openRestarted: OpenForTest = (options) => {
  const tables = memoryTables();
  const open = () => new TableStore({ maxBytes: 64 * MIB, ...options, tables });
  let store = open();
  let slices = 0;
  let [gap, last] = [1, 1];
  const sweep = (nowMs: number) => {
    const swept = store.sweep(nowMs);
    if (++slices < last) return swept;
    last += ++gap;
    void store.close();
    store = open();
    return { ...swept, isDone: false };
  };
  const get = (_: object, name: string) => {
    const found: unknown = name === "sweep" ? sweep : Reflect.get(store, name);
    return typeof found === "function" ? found.bind(store) : found;
  };
  return Promise.resolve(new Proxy<Store>(store, { get }));
};

describeSweeping("often restarted", openRestarted);

/** Counts the rows that are read and changed. */
class CountingTables {
  count = 0;
  readonly tables: Tables;

  constructor(tables: Tables) {
    const counted = (table: Table): Table => ({
      get: (key) => this.#count(() => table.get(key)),
      has: (key) => this.#count(() => table.has(key)),
      put: (key, value) => this.#count(() => table.put(key, value)),
      remove: (key) => this.#count(() => table.remove(key)),
      rows: (prefix) => this.#rows(table, prefix),
      count: () => table.count(),
    });
    this.tables = { ...tables, ...makeTables((name) => counted(tables[name])), totals: tables.totals };
  }

  #count<Result>(act: () => Result): Result {
    this.count++;
    return act();
  }

  *#rows(table: Table, prefix: Buffer) {
    for (const row of table.rows(prefix)) yield this.#count(() => row);
  }
}

describe("a sweep", () => {
  /** A store with this many conversations of this many turns, each turn with a blob of its own. */
  async function filled(conversations: number, turns: number) {
    const counting = new CountingTables(memoryTables());
    const open: OpenForTest = (options) =>
      Promise.resolve(new TableStore({ maxBytes: 64 * MIB, ...options, tables: counting.tables }));
    const bench = await StoreUnderTest.open(open);
    for (let conversation = 0; conversation < conversations; conversation++) {
      const own: SampleBlob[] = [];
      for (let turn = 0; turn < turns; turn++) {
        own.push(sampleBlob(`${conversation}.${turn}`));
        bench.put(...own.slice(-1));
        if (turn % 10 > 0 && turn < turns - 1) continue;
        const checkpoint = { state: stateNaming(...own), conversationId: `c${conversation}` };
        bench.store.putCheckpoint("o", `${conversation}.${turn}`, sampleCheckpoint(checkpoint));
      }
    }
    return { bench, counting };
  }

  it.each([
    ["many short conversations", 4_000, 1],
    ["one very long conversation", 1, 4_000],
  ])("looks through %s in slices of a few hundred rows", async (_, conversations, turns) => {
    const { bench, counting } = await filled(conversations, turns);
    const rowsOfSlices: number[] = [];
    const sweep = () => {
      for (let isDone = false; !isDone; ) {
        counting.count = 0;
        isDone = bench.slice().isDone;
        rowsOfSlices.push(counting.count);
      }
    };
    sweep();
    bench.pass(31 * DAY_MS);
    sweep();
    expect(bench.store.stats()).toEqual({ checkpoints: 0, blobs: 0, bytes: 0 });
    expect(rowsOfSlices.length).toBeGreaterThan(20);
    expect(Math.max(...rowsOfSlices)).toBeLessThan(1_000);
  });

  it("looks at nothing while nothing has changed and nothing is due", async () => {
    const { bench, counting } = await filled(1_000, 1);
    const rowsOfSweep = () => {
      counting.count = 0;
      bench.sweep();
      return counting.count;
    };
    expect(rowsOfSweep()).toBeGreaterThan(1_000);
    bench.store.getCheckpoint("o", "1.0");
    expect(rowsOfSweep()).toBe(0);
    bench.pass(59 * MINUTE_MS);
    expect(rowsOfSweep()).toBe(0);
    bench.pass(2 * MINUTE_MS); // another process may have put something
    expect(rowsOfSweep()).toBeGreaterThanOrEqual(1_000);
    bench.replace("1.0");
    expect(rowsOfSweep()).toBeGreaterThanOrEqual(1_000);
    expect(bench.store.stats()).toMatchObject({ checkpoints: 1_000, blobs: 999 });
    expect(rowsOfSweep()).toBe(0);
  });

  it("looks at each checkpoint once when few have changed", async () => {
    const { bench, counting } = await filled(1_000, 1);
    bench.sweep();
    bench.replace("1.0");
    counting.count = 0;
    bench.sweep();
    expect(counting.count).toBeLessThan(1_100);
    expect(bench.store.stats()).toMatchObject({ checkpoints: 1_000, blobs: 999 });
  });

  it("ends although a long conversation goes on all the while", async () => {
    const { bench } = await filled(1, 1_000);
    bench.sweep();
    const goOn = (key: string) =>
      bench.store.putCheckpoint("o", key, sampleCheckpoint({ state: new Uint8Array(), conversationId: "c0" }));
    goOn("before");
    let slices = 0;
    for (let isDone = false; !isDone && slices < 1_000; slices++) {
      isDone = bench.slice().isDone;
      goOn(`${slices}`);
    }
    expect(slices).toBeLessThan(100);
    bench.sweep();
    expect(bench.store.stats()).toMatchObject({ blobs: 1_000 });
  });

  it("waits by itself while the disk is behind", async () => {
    const counting = new CountingTables(memoryTables());
    let isBehind = true;
    let asked = 0;
    const isBehindAsked = () => {
      asked++;
      return isBehind;
    };
    const tables = { ...counting.tables, isBehind: isBehindAsked };
    const store = new TableStore({ tables, maxBytes: 64 * MIB, now: Date.now, sliceWork: 1 });
    for (let index = 0; index < 10; index++) store.putCheckpoint("o", `${index}`, sampleCheckpoint());
    expect(store.sweep(Date.now())).toEqual({ isDone: false });
    counting.count = 0;
    await expect.poll(() => asked).toBeGreaterThan(2);
    expect(counting.count).toBe(0);
    isBehind = false;
    await expect.poll(() => counting.count).toBeGreaterThan(10);
    await store.close();
  });

  it("keeps pace with what is written, however small the store and with no timer to begin it", async () => {
    const problems: Error[] = [];
    const maxBytes = MIB;
    const store = new TableStore({
      tables: memoryTables(),
      maxBytes,
      now: Date.now,
      onProblem: (problem) => problems.push(problem),
    });
    let most = 0;
    for (let conversation = 0; conversation < 2_000; conversation++) {
      const own = Array.from({ length: 4 }, (_, index) => sampleBlob(Buffer.alloc(4_000, `${conversation}.${index}`)));
      for (const { id, data } of own) store.putBlob("o", id, data);
      const checkpoint = { state: stateNaming(...own), conversationId: `${conversation}` };
      store.putCheckpoint("o", `${conversation}`, sampleCheckpoint(checkpoint));
      store.putNote("o", `${conversation}`, "seen");
      most = Math.max(most, store.stats().bytes);
      // A turn takes more than one turn of the event loop.
      for (let event = 0; event < 10; event++) await setImmediate();
    }
    expect(problems).toEqual([]);
    expect(most).toBeLessThan(1.25 * maxBytes);
    await store.close();
  });

  it("lets go of nothing in a conversation that another process has gone on with meanwhile", async () => {
    const tables = memoryTables();
    const openOne = (sliceWork: number) => (options: { now: () => number }) =>
      Promise.resolve(new TableStore({ maxBytes: 64 * MIB, ...options, tables, sliceWork }));
    const [here, there] = [await StoreUnderTest.open(openOne(1)), await StoreUnderTest.open(openOne(1_000_000))];
    const kept = sampleBlob("kept");
    here.put(kept);
    here.store.putCheckpoint("o", "k0", sampleCheckpoint({ state: stateNaming(kept) }));
    for (let at = 0; at < 60; at++) {
      const undone = sampleBlob(`undone ${at}`);
      here.put(undone);
      here.store.putCheckpoint("o", "undone", sampleCheckpoint({ state: stateNaming(kept, undone) }));
      here.sweep();
      here.replace("undone");
      for (let slices = 0; slices < at; slices++) if (here.slice().isDone) break;
      there.store.putCheckpoint("o", `k${at + 1}`, sampleCheckpoint({ state: stateNaming(kept), memo: `${at}` }));
      there.replace(`k${at}`);
      here.sweep();
      here.sweep();
      expect([here.has(kept), here.has(undone)], `after ${at} slices`).toEqual([true, false]);
    }
  });

  it("gives up notes too, the oldest first", async () => {
    const { bench } = await filled(1, 1);
    const note = "n".repeat(7 * MIB);
    for (let index = 0; index < 10; index++) {
      bench.store.putNote("o", `${index}`, note);
      bench.pass(MINUTE_MS);
    }
    bench.sweep();
    const kept = Array.from({ length: 10 }, (_, index) => bench.store.getNote("o", `${index}`) !== undefined);
    expect(bench.store.stats().bytes).toBeLessThanOrEqual(64 * MIB);
    expect(kept).toEqual([false, false, ...Array(8).fill(true)]);
  });

  it("gives up what no checkpoint names before what one does, once it has waited a while", async () => {
    const { bench } = await filled(10, 1);
    const orphans = Array.from({ length: 14 }, (_, index) => sampleBlob(Buffer.alloc(5 * MIB, index)));
    bench.pass(MINUTE_MS);
    bench.put(...orphans);
    bench.pass(6 * MINUTE_MS);
    bench.sweep();
    expect(bench.store.stats().checkpoints).toBe(10);
    expect(bench.store.stats().bytes).toBeLessThan(64 * MIB);
    // The checkpoint of a run that took so long must not be kept without its blobs.
    bench.store.putCheckpoint("o", "late", sampleCheckpoint({ state: stateNaming(...orphans) }));
    expect(bench.store.getCheckpoint("o", "late")).toBeUndefined();
  });
});
