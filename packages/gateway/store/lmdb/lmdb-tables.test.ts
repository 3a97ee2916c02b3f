import { setImmediate } from "node:timers/promises";
import { ABORT, open, type RootDatabase } from "lmdb";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../testing/temporary-folder.js";
import { LmdbTables } from "./lmdb-tables.js";

/** Real LMDB, with commits that fail as often as the test says. */
function openTables() {
  const root: RootDatabase<Uint8Array, Uint8Array> = open({
    path: temporaryFolder(),
    encoding: "binary",
    keyEncoding: "binary",
    overlappingSync: false,
    eventTurnBatching: false,
    maxDbs: 2,
  });
  let failures = 0;
  let reason = "MDB_MAP_FULL";
  let disk = Promise.resolve();
  const commit = root.batch.bind(root);
  const snapshots: { rows: number; last: string | undefined }[] = [];
  root.batch = (changes: () => void) => {
    if (failures === 0) {
      return disk
        .then(() => commit(changes))
        .then((isDone) => {
          snapshots.push({ rows: stored.getKeysCount(), last: text(stored.get(key("last"))) });
          return isDone;
        });
    }
    failures--;
    root.transactionSync(() => {
      changes();
      return ABORT;
    });
    const commitError = Promise.reject(new Error(reason));
    return Promise.reject(Object.assign(new Error("Commit failed"), { commitError }));
  };
  const problems: Error[] = [];
  const events: string[] = [];
  const tables = new LmdbTables({
    root,
    onProblem: (problem) => problems.push(problem),
    onClosed: () => events.push("closed"),
    onDamage: () => events.push("damaged"),
  });
  const stored = root.openDB<Uint8Array, Uint8Array>("rows", { encoding: "binary", keyEncoding: "binary" });
  return {
    tables,
    root,
    problems,
    events,
    fail(times: number, why = reason) {
      failures = times;
      reason = why;
    },
    /** Makes commits wait until the returned function is called. */
    hold(): () => void {
      let release = () => {};
      disk = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    /** The rows in LMDB itself after each commit. */
    snapshots,
    /** The value in LMDB itself. */
    onDisk: (name: string) => text(stored.get(key(name))),
  };
}

const GROUP = 32;
const group = Buffer.alloc(GROUP, "g");
const key = (name: string): Buffer => Buffer.concat([group, Buffer.from(name.padEnd(8))]);
const value = (content: string): Buffer => Buffer.from(content);
const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : Buffer.from(bytes).toString());

describe("tables in LMDB", () => {
  it("show every change at once, in single rows and in groups, whether in memory or on disk", async () => {
    const { tables, onDisk } = openTables();
    const { rows: table } = tables;
    const rows = (prefix = group) =>
      [...table.keys(prefix)].map((each) => `${each.toString("utf8", GROUP).trim()}=${text(table.get(each))}`).sort();
    for (const name of ["a", "b", "c", "d"]) table.put(key(name), value("1"));
    expect(rows()).toEqual(["a=1", "b=1", "c=1", "d=1"]);
    await tables.flush();
    table.put(key("b"), value("2"));
    table.remove(key("c"));
    const flushed = tables.flush();
    table.put(key("a"), value("3"));
    table.put(key("e"), value("3"));
    table.remove(key("d"));
    expect(rows()).toEqual(["a=3", "b=2", "e=3"]);
    expect(rows(Buffer.alloc(0))).toEqual(["a=3", "b=2", "e=3"]);
    expect(rows(Buffer.alloc(GROUP, "h"))).toEqual([]);
    expect(["a", "b", "c", "d", "e"].map((name) => text(table.get(key(name))))).toEqual([
      "3",
      "2",
      undefined,
      undefined,
      "3",
    ]);
    await flushed;
    expect(rows()).toEqual(["a=3", "b=2", "e=3"]);
    await tables.flush();
    expect(rows()).toEqual(["a=3", "b=2", "e=3"]);
    expect(["a", "b", "c", "d", "e"].map(onDisk)).toEqual(["3", "2", undefined, undefined, "3"]);
    await tables.close();
  });

  it("are written without a flush", async () => {
    const { tables, onDisk } = openTables();
    tables.rows.put(key("a"), value("1"));
    await expect.poll(() => onDisk("a")).toBe("1");
    await tables.close();
  });

  it("have on disk what was put before a flush, even if flushes overlap", async () => {
    const { tables, onDisk } = openTables();
    const seen = Array.from({ length: 20 }, async (_, index) => {
      tables.rows.put(key(`${index}`), value("1"));
      await tables.flush();
      return onDisk(`${index}`);
    });
    expect(await Promise.all(seen)).toEqual(Array(20).fill("1"));
    await tables.close();
  });

  it("hold changes of a failed commit, report it, and write them with later ones", async () => {
    const { tables, onDisk, fail, problems, events } = openTables();
    fail(1);
    tables.rows.put(key("a"), value("1"));
    tables.rows.put(key("b"), value("1"));
    const failed = tables.flush();
    tables.rows.put(key("b"), value("2"));
    await expect(failed).rejects.toThrow("could not be written");
    expect(problems).toMatchObject([{ cause: { message: "MDB_MAP_FULL" } }]);
    expect(["a", "b"].map((name) => text(tables.rows.get(key(name))))).toEqual(["1", "2"]);
    expect(["a", "b"].map(onDisk)).toEqual([undefined, undefined]);
    tables.rows.remove(key("a"));
    tables.rows.put(key("c"), value("3"));
    await tables.flush();
    expect(["a", "b", "c"].map(onDisk)).toEqual([undefined, "2", "3"]);
    await tables.close();
    expect(events).toEqual(["closed"]);
  });

  it("are written in order, a few thousand at a time, and never split within a turn of the event loop", async () => {
    const { tables, hold, snapshots } = openTables();
    const release = hold();
    const [turns, rowsOfTurn] = [20, 500];
    for (let turn = 0; turn < turns; turn++) {
      for (let row = 1; row < rowsOfTurn; row++) tables.rows.put(key(`${turn}.${row}`), value("1"));
      tables.rows.put(key(`last`), value(`${turn}`));
      await setImmediate();
    }
    expect([tables.isBehind(), text(tables.rows.get(key("last")))]).toEqual([true, "19"]);
    release();
    await tables.flush();
    expect(snapshots.at(-1)).toEqual({ rows: turns * (rowsOfTurn - 1) + 1, last: "19" });
    for (const [index, { rows, last }] of snapshots.entries()) {
      expect(rows).toBe((Number(last) + 1) * (rowsOfTurn - 1) + 1);
      expect(rows - (snapshots[index - 1]?.rows ?? 0)).toBeLessThanOrEqual(2_500);
    }
    expect(tables.isBehind()).toBe(false);
    await tables.close();
  });

  it("yield each key once during concurrent writes, and no removed keys", async () => {
    const { tables, hold } = openTables();
    const names = Array.from({ length: 3_000 }, (_, index) => `${index}`);
    for (const name of names) tables.rows.put(key(name), value("1"));
    const met: string[] = [];
    for (const each of tables.rows.keys(Buffer.alloc(0))) {
      met.push(each.toString("utf8", GROUP).trim());
      if (met.length % 1_000 === 500) await tables.flush();
    }
    expect(met.sort()).toEqual(names.sort());
    const release = hold();
    for (const name of names) tables.rows.remove(key(name));
    expect([...tables.rows.keys(group)]).toEqual([]);
    release();
    await tables.close();
  });

  it("are full when too much waits for a failing disk", async () => {
    const { tables, fail, events } = openTables();
    fail(Number.POSITIVE_INFINITY);
    for (let count = 0; !tables.isFull() && count < 100; count++) {
      tables.rows.put(key(`${count}`), Buffer.alloc(4 * 1024 * 1024));
    }
    await expect(tables.flush()).rejects.toThrow("could not be written");
    expect(tables.isFull()).toBe(true);
    fail(0);
    await tables.flush();
    expect(tables.isFull()).toBe(false);
    await tables.close();
    expect(events).toEqual(["closed"]);
  });

  it("return nothing while they close, because LMDB would throw from a timer", async () => {
    const { tables, root } = openTables();
    tables.rows.put(key("a"), value("1"));
    await tables.flush();
    const found = [text(tables.rows.get(key("a")))];
    const close = root.close.bind(root);
    root.close = () => {
      const closing = close();
      found.push(text(tables.rows.get(key("a"))));
      return closing;
    };
    await tables.close();
    expect(found).toEqual(["1", undefined]);
  });

  it("distinguish damage from a lack of space, and do not seal an incomplete file", async () => {
    const { tables, fail, events } = openTables();
    fail(Number.POSITIVE_INFINITY, "MDB_CORRUPTED: Located page was wrong type");
    tables.rows.put(key("a"), value("1"));
    await tables.close();
    expect(events).toEqual(["damaged"]);
  });
});
