import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { sampleBlob, sampleLineage } from "../../../testing/samples/sample-state.js";
import { type OpenForTest, StoreUnderTest } from "../../../testing/store/store-under-test.js";
import { LineageStore, type Store } from "./lineage-store.js";
import { memoryTables } from "./memory.js";
import { describeSweeping } from "./sweep.cases.js";

import type { Table, Tables } from "./tables.js";

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A store whose tables outlive it, as after a kill. It is reopened after the 1st, 3rd, 6th, 10th ... slice. */
const openRestarted: OpenForTest = (options) => {
  const tables = memoryTables();
  const open = () => new LineageStore({ maxBytes: 64 * MIB, ...options, tables });
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
      put: (key, value) => this.#count(() => table.put(key, value)),
      remove: (key) => this.#count(() => table.remove(key)),
      keys: (prefix) => this.#keys(table, prefix),
    });
    this.tables = { ...tables, rows: counted(tables.rows), names: counted(tables.names) };
  }

  #count<Result>(act: () => Result): Result {
    this.count++;
    return act();
  }

  *#keys(table: Table, prefix: Buffer) {
    for (const key of table.keys(prefix)) yield this.#count(() => key);
  }
}

describe("a sweep", () => {
  /** A store with this many conversations of this many turns, each turn with content of its own. */
  async function filled(conversations: number, turns: number) {
    const counting = new CountingTables(memoryTables());
    const open: OpenForTest = (options) =>
      Promise.resolve(new LineageStore({ maxBytes: 64 * MIB, ...options, tables: counting.tables }));
    const t = await StoreUnderTest.open(open);
    for (let conversation = 0; conversation < conversations; conversation++) {
      for (let turn = 0; turn < turns; turn++) {
        const name = `${conversation}.${turn}`;
        t.put(`${conversation}`, name, sampleBlob(name));
      }
    }
    return { t, counting };
  }

  it.each([
    ["many short conversations", 4_000, 1],
    ["one very long conversation", 1, 4_000],
  ])("scans %s in slices of a few hundred rows", async (_, conversations, turns) => {
    const { t, counting } = await filled(conversations, turns);
    const rowsOfSlices: number[] = [];
    const sweep = () => {
      for (let isDone = false; !isDone; ) {
        counting.count = 0;
        isDone = t.slice().isDone;
        rowsOfSlices.push(counting.count);
      }
    };
    sweep();
    t.pass(31 * DAY_MS);
    sweep();
    expect(t.store.stats()).toEqual({ lineages: 0, rows: 0, bytes: 0 });
    expect(rowsOfSlices.length).toBeGreaterThan(20);
    // The keys of one lineage are looked at together.
    expect(Math.max(...rowsOfSlices)).toBeLessThan(1_000 + turns);
  });

  it("reads nothing while nothing has changed and nothing is due", async () => {
    const { t, counting } = await filled(1_000, 1);
    const rowsOfSweep = () => {
      counting.count = 0;
      t.sweep();
      return counting.count;
    };
    expect(rowsOfSweep()).toBeGreaterThanOrEqual(1_000);
    t.store.get("o", "1.0");
    expect(rowsOfSweep()).toBe(0);
    t.pass(59 * MINUTE_MS);
    expect(rowsOfSweep()).toBe(0);
    t.pass(2 * MINUTE_MS); // another process may have put something
    expect(rowsOfSweep()).toBeGreaterThanOrEqual(1_000);
    t.put("note", "note");
    t.store.remove("o", "note");
    expect(rowsOfSweep()).toBeGreaterThanOrEqual(1_000);
    expect(t.store.stats()).toMatchObject({ lineages: 1_000, rows: 1_000 });
    expect(rowsOfSweep()).toBe(0);
  });

  it("removes all names of dropped rows", async () => {
    const { t, counting } = await filled(50, 3);
    t.pass(31 * DAY_MS);
    t.sweep();
    expect([...counting.tables.names.keys(Buffer.alloc(0))]).toEqual([]);
  });

  it("pauses while the disk is behind", async () => {
    const counting = new CountingTables(memoryTables());
    let isBehind = true;
    let asked = 0;
    const isBehindAsked = () => {
      asked++;
      return isBehind;
    };
    const tables = { ...counting.tables, isBehind: isBehindAsked };
    const store = new LineageStore({ tables, maxBytes: 64 * MIB, now: Date.now, sliceWork: 1 });
    for (let index = 0; index < 10; index++) {
      store.put("o", sampleLineage(`${index}`), { names: [`${index}`], text: "" });
    }
    expect(store.sweep(Date.now())).toEqual({ isDone: false });
    counting.count = 0;
    await expect.poll(() => asked).toBeGreaterThan(2);
    expect(counting.count).toBe(0);
    isBehind = false;
    await expect.poll(() => counting.count).toBeGreaterThanOrEqual(9);
    await store.close();
  });

  it("keeps pace with writes, even in a small store and without a timer", async () => {
    const problems: Error[] = [];
    const maxBytes = MIB;
    const onProblem = (problem: Error) => problems.push(problem);
    const store = new LineageStore({ tables: memoryTables(), maxBytes, now: Date.now, onProblem });
    let most = 0;
    for (let conversation = 0; conversation < 2_000; conversation++) {
      const lineage = sampleLineage(`${conversation}`);
      const { id, data } = sampleBlob(Buffer.alloc(16_000, `${conversation}`));
      store.putBlob("o", lineage, id, data);
      store.put("o", lineage, { names: [`${conversation}`], text: "{}" });
      most = Math.max(most, store.stats()?.bytes ?? 0);
      // A turn takes more than one turn of the event loop.
      for (let event = 0; event < 10; event++) await setImmediate();
    }
    expect(problems).toEqual([]);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(1.25 * maxBytes);
    await store.close();
  });

  it("keeps a lineage that another process has continued meanwhile", async () => {
    const tables = memoryTables();
    const openOne = (sliceWork: number) => (options: { now: () => number }) =>
      Promise.resolve(new LineageStore({ maxBytes: 64 * MIB, ...options, tables, sliceWork }));
    const [here, there] = [await StoreUnderTest.open(openOne(1)), await StoreUnderTest.open(openOne(1_000_000))];
    const kept = sampleBlob("kept");
    for (let at = 0; at < 20; at++) {
      here.put(`${at}`, `${at}.1`, kept);
      there.pass(31 * DAY_MS);
      here.pass(31 * DAY_MS);
      for (let slices = 0; slices < at % 2; slices++) here.slice();
      there.put(`${at}`, `${at}.2`);
      here.sweep();
      expect([here.hasRow(`${at}.1`), here.hasRow(`${at}.2`), here.hasBlob(`${at}`, kept)]).toEqual([true, true, true]);
    }
  });

  it("evicts large notes too, the oldest first", async () => {
    const { t } = await filled(1, 1);
    const text = "n".repeat(7 * MIB);
    for (let index = 0; index < 10; index++) {
      t.store.put("o", sampleLineage(`note ${index}`), { names: [`${index}`], text });
      t.pass(MINUTE_MS);
    }
    t.sweep();
    const kept = Array.from({ length: 10 }, (_, index) => t.hasRow(`${index}`));
    expect(t.store.stats()?.bytes).toBeLessThanOrEqual(64 * MIB);
    expect(kept).toEqual([false, false, ...Array(8).fill(true)]);
  });
});
