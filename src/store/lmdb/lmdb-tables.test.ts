import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ABORT, open, type RootDatabase } from "lmdb";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { openLmdbTables } from "./lmdb-tables.js";

const base = mkdtempSync(join(tmpdir(), "curlew-tables-"));
afterAll(() => rmSync(base, { recursive: true }));
afterEach(() => vi.useRealTimers());

/** Real LMDB, whose next commits fail as often as the test says. */
function openTables() {
  const path = mkdtempSync(join(base, "t-"));
  const root: RootDatabase<Uint8Array, Uint8Array> = open({
    path,
    encoding: "binary",
    keyEncoding: "binary",
    overlappingSync: false,
    eventTurnBatching: false,
    maxDbs: 12,
  });
  let failures = 0;
  let reason = "MDB_MAP_FULL";
  let commits = 0;
  const commit = root.batch.bind(root);
  root.batch = (changes: () => void) => {
    commits++;
    if (failures === 0) return commit(changes);
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
  const tables = openLmdbTables({
    root,
    onProblem: (problem) => problems.push(problem),
    onClosed: () => events.push("closed"),
    onDamage: () => events.push("damaged"),
  });
  const stored = root.openDB<Uint8Array, Uint8Array>("holders", { encoding: "binary", keyEncoding: "binary" });
  return {
    tables,
    problems,
    events,
    fail(times: number, why = reason) {
      failures = times;
      reason = why;
    },
    commits: () => commits,
    /** The value in LMDB itself. */
    onDisk: (name: string) => text(stored.get(key(name))),
  };
}

const group = Buffer.alloc(48, "g");
const key = (name: string): Buffer => Buffer.concat([group, Buffer.from(name.padEnd(8))]);
const value = (content: string): Buffer => Buffer.from(content);
const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : Buffer.from(bytes).toString());

describe("tables in LMDB", () => {
  it("show every change at once, in single rows and in groups, wherever each row is by then", async () => {
    const { tables, onDisk } = openTables();
    const { holders } = tables;
    const rows = (prefix = group) =>
      [...holders.rows(prefix)].map(({ key, value }) => `${key.toString("utf8", 48).trim()}=${text(value)}`).sort();
    for (const name of ["a", "b", "c", "d"]) holders.put(key(name), value("1"));
    expect(rows()).toEqual(["a=1", "b=1", "c=1", "d=1"]);
    await tables.flush();
    holders.put(key("b"), value("2"));
    holders.remove(key("c"));
    const flushed = tables.flush();
    holders.put(key("a"), value("3"));
    holders.put(key("e"), value("3"));
    holders.remove(key("d"));
    expect(holders.count()).toBeUndefined();
    expect(rows()).toEqual(["a=3", "b=2", "e=3"]);
    expect(rows(Buffer.alloc(0))).toEqual(["a=3", "b=2", "e=3"]);
    expect(rows(Buffer.alloc(48, "h"))).toEqual([]);
    expect(["a", "b", "c", "d", "e"].map((name) => text(holders.get(key(name))))).toEqual([
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
    expect(holders.count()).toBe(3);
    await tables.close();
  });

  it("are written without being asked", async () => {
    const { tables, onDisk } = openTables();
    tables.holders.put(key("a"), value("1"));
    await expect.poll(() => onDisk("a")).toBe("1");
    await tables.close();
  });

  it("write what comes shortly after each other in one commit", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const { tables, onDisk, commits } = openTables();
    for (const name of ["a", "b", "c"]) {
      tables.holders.put(key(name), value("1"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(commits()).toBe(0);
    vi.runAllTimers();
    await tables.flush();
    expect(["a", "b", "c"].map(onDisk)).toEqual(["1", "1", "1"]);
    expect(commits()).toBe(1);
    await tables.close();
  });

  it("have on disk what was put before a flush, however many flushes overlap", async () => {
    const { tables, onDisk } = openTables();
    const seen = Array.from({ length: 20 }, async (_, index) => {
      tables.holders.put(key(`${index}`), value("1"));
      await tables.flush();
      return onDisk(`${index}`);
    });
    expect(await Promise.all(seen)).toEqual(Array(20).fill("1"));
    await tables.close();
  });

  it("hold what could not be written, report it, and write it with what came later", async () => {
    const { tables, onDisk, fail, problems, events } = openTables();
    fail(1);
    tables.holders.put(key("a"), value("1"));
    tables.holders.put(key("b"), value("1"));
    const failed = tables.flush();
    tables.holders.put(key("b"), value("2"));
    await expect(failed).rejects.toThrow("could not be written");
    expect(problems).toMatchObject([{ cause: { message: "MDB_MAP_FULL" } }]);
    expect(["a", "b"].map((name) => text(tables.holders.get(key(name))))).toEqual(["1", "2"]);
    expect(["a", "b"].map(onDisk)).toEqual([undefined, undefined]);
    tables.holders.remove(key("a"));
    tables.holders.put(key("c"), value("3"));
    await tables.flush();
    expect(["a", "b", "c"].map(onDisk)).toEqual([undefined, "2", "3"]);
    await tables.close();
    expect(events).toEqual(["closed"]);
  });

  it("are full when too much waits for a disk that takes nothing", async () => {
    const { tables, fail, events } = openTables();
    fail(Number.POSITIVE_INFINITY);
    for (let count = 0; !tables.isFull() && count < 100; count++) {
      tables.blobs.put(key(`${count}`), Buffer.alloc(4 * 1024 * 1024));
    }
    await expect(tables.flush()).rejects.toThrow("could not be written");
    expect(tables.isFull()).toBe(true);
    fail(0);
    await tables.flush();
    expect(tables.isFull()).toBe(false);
    await tables.close();
    expect(events).toEqual(["closed"]);
  });

  it("distinguish damage from a lack of space, and do not seal a file that lacks something", async () => {
    const { tables, fail, events } = openTables();
    fail(Number.POSITIVE_INFINITY, "MDB_CORRUPTED: Located page was wrong type");
    tables.holders.put(key("a"), value("1"));
    await tables.close();
    expect(events).toEqual(["damaged"]);
  });
});
