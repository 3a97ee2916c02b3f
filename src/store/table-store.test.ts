import { beforeEach, describe, expect, it, vi } from "vitest";
import { sampleBlob } from "../../testing/samples/sample-state.js";
import { memoryTables } from "./memory.js";
import { TableStore } from "./table-store.js";
import type { Tables } from "./tables.js";

describe("what a store costs its tables", () => {
  let tables: Tables;
  let store: TableStore;
  beforeEach(() => {
    tables = memoryTables();
    store = new TableStore({ tables, maxBytes: 1024 * 1024, now: () => 0 });
  });

  it("is one save of the totals for all that is put together, before a flush is over", async () => {
    const save = vi.spyOn(tables.totals, "put");
    for (let at = 0; at < 10; at++) {
      const { id, data } = sampleBlob(`blob ${at}`);
      store.putBlob("o", id, data);
    }
    store.putNote("o", "k", "seen");
    expect(store.stats()).toMatchObject({ blobs: 10 });
    await store.flush();
    expect(save).toHaveBeenCalledTimes(1);
    expect(new TableStore({ tables, maxBytes: 1024 * 1024, now: () => 0 }).stats()).toEqual(store.stats());
  });

  it("is no count of everything for totals that are known, and none for those that are not", async () => {
    const { id, data } = sampleBlob("counted");
    store.putBlob("o", id, data);
    await store.flush();
    const count = vi.spyOn(tables.holders, "rows");
    expect(store.knownStats()).toEqual(store.stats());
    tables.totals.put(Buffer.from("totals"), Buffer.alloc(1));
    const reopened = new TableStore({ tables, maxBytes: 1024 * 1024, now: () => 0 });
    expect(reopened.knownStats()).toBeUndefined();
    expect(count).not.toHaveBeenCalled();
    expect(reopened.stats()).toMatchObject({ blobs: 1 });
    expect(reopened.knownStats()).toMatchObject({ blobs: 1 });
  });

  it("is no read of a blob that is put again", () => {
    const { id, data } = sampleBlob("known");
    store.putBlob("o", id, data);
    const read = vi.spyOn(tables.blobs, "get");
    const write = vi.spyOn(tables.blobs, "put");
    expect(store.putBlob("o", id, data)).toBe(true);
    expect([read.mock.calls, write.mock.calls]).toEqual([[], []]);
  });
});
