import { beforeEach, describe, expect, it, vi } from "vitest";
import { sampleBlob, sampleLineage } from "../../../testing/samples/sample-state.js";
import { LineageStore } from "./lineage-store.js";
import { memoryTables } from "./memory.js";
import type { Tables } from "./tables.js";

describe("the cost of a store for its tables", () => {
  const lineage = sampleLineage("a");
  const nothing = Buffer.alloc(0);
  let tables: Tables;
  let store: LineageStore;
  beforeEach(() => {
    tables = memoryTables();
    store = new LineageStore({ tables, maxBytes: 64 * 1024 * 1024, now: () => 0 });
  });

  it("is one row for a whole history and its checkpoint, and one for each name", () => {
    const write = vi.spyOn(tables.rows, "put");
    const name = vi.spyOn(tables.names, "put");
    for (let at = 0; at < 500; at++) {
      const { id, data } = sampleBlob(`blob ${at}`);
      store.putBlob("o", lineage, id, data);
      store.putBlob("o", lineage, id, data);
    }
    store.put("o", lineage, { names: ["k", "bare"], text: "{}" });
    expect([write.mock.calls.length, name.mock.calls.length]).toEqual([1, 2]);
    expect(store.getBlob("o", lineage, sampleBlob("blob 499").id)).toBeDefined();
  });

  it("is a row for each mebibyte of content that comes before its row", () => {
    const write = vi.spyOn(tables.rows, "put");
    const blobs = Array.from({ length: 20 }, (_, at) => sampleBlob(Buffer.alloc(250_000, at)));
    for (const { id, data } of blobs) store.putBlob("o", lineage, id, data);
    expect(write).toHaveBeenCalledTimes(4);
    store.put("o", lineage, { names: ["k"], text: "{}" });
    expect(write).toHaveBeenCalledTimes(5);
    expect(blobs.every(({ id }) => store.getBlob("o", lineage, id) !== undefined)).toBe(true);
  });

  it("is a few attempts for content without room, none of which is lost", () => {
    let isFull = false;
    const full = new LineageStore({
      tables: { ...tables, isFull: () => isFull },
      maxBytes: 64 * 1024 * 1024,
      now: () => 0,
    });
    const [first, ...more] = Array.from({ length: 400 }, (_, at) => sampleBlob(Buffer.alloc(10_000, `${at}`)));
    if (first !== undefined) full.putBlob("o", lineage, first.id, first.data);
    full.put("o", lineage, { names: ["k"], text: "{}" });
    isFull = true;
    const pack = vi.spyOn(Buffer, "concat");
    for (const { id, data } of more) full.putBlob("o", lineage, id, data);
    expect(pack.mock.calls.length).toBeLessThan(10);
    pack.mockRestore();
    full.remove("o", "k");
    expect([first, ...more].every((blob) => full.getBlob("o", lineage, blob?.id ?? nothing) !== undefined)).toBe(true);
  });

  it("is one scan of a lineage for all of its content", () => {
    const blobs = Array.from({ length: 100 }, (_, at) => sampleBlob(`blob ${at}`));
    for (const [at, { id, data }] of blobs.entries()) {
      store.putBlob("o", lineage, id, data);
      if (at % 10 === 9) store.put("o", lineage, { names: [`k${at}`], text: "{}" });
    }
    const read = vi.spyOn(tables.rows, "get");
    expect(blobs.every(({ id }) => store.getBlob("o", lineage, id) !== undefined)).toBe(true);
    expect(read).toHaveBeenCalledTimes(10);
  });

  it("is one read for a missing name", () => {
    const [name, row] = [vi.spyOn(tables.names, "get"), vi.spyOn(tables.rows, "get")];
    expect(store.get("o", "k")).toBeUndefined();
    expect([name.mock.calls.length, row.mock.calls.length]).toEqual([1, 0]);
  });
});
