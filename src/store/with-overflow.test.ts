import { describe, expect, it } from "vitest";
import { sampleBlob } from "../../testing/samples/sample-state.js";
import { memoryTables } from "./memory.js";
import { TableStore } from "./table-store.js";
import { withOverflow } from "./with-overflow.js";

describe("what a store refuses", () => {
  const open = (maxHeldBytes: number, isFull = () => true) => {
    const clock = { nowMs: 1_800_000_000_000 };
    const now = () => clock.nowMs;
    const store = new TableStore({ tables: { ...memoryTables(), isFull }, maxBytes: 1_000_000, now });
    return { store: withOverflow(store, now, maxHeldBytes), clock };
  };

  it("is held for its owner, blobs and notes alike", () => {
    const { store } = open(10_000);
    const { id, data } = sampleBlob("named");
    expect(store.putBlob("o", id, data)).toBe(true);
    expect(store.putNote("o", "k", "noted ü")).toBe(true);
    expect([store.getBlob("o", id), store.getNote("o", "k")]).toEqual([data, "noted ü"]);
    expect([store.getBlob("p", id), store.getNote("p", "k")]).toEqual([undefined, undefined]);
    store.deleteNote("o", "k");
    expect(store.getNote("o", "k")).toBeUndefined();
    expect(store.putBlob("o", id, Buffer.from("not what the id says"))).toBe(false);
  });

  it("is bounded: the oldest goes first, nothing large pushes out all the rest, and nothing is held forever", () => {
    const { store, clock } = open(10_000);
    const blobs = Array.from({ length: 6 }, (_, index) => sampleBlob(Buffer.alloc(3_000, index)));
    for (const { id, data } of blobs) store.putBlob("o", id, data);
    const held = () => blobs.map(({ id }) => store.getBlob("o", id) !== undefined);
    expect(held()).toEqual([false, false, false, true, true, true]);
    const large = sampleBlob(Buffer.alloc(6_000, "x"));
    expect(store.putBlob("o", large.id, large.data)).toBe(false);
    expect(held()).toEqual([false, false, false, true, true, true]);
    clock.nowMs += 61 * 60_000;
    store.putNote("o", "k", "later");
    expect(held()).toEqual(Array(6).fill(false));
    expect(store.getNote("o", "k")).toBe("later");
  });

  it("gives way to what the store itself has once there is room", () => {
    let isFull = false;
    const { store } = open(10_000, () => isFull);
    store.putNote("o", "k", "old");
    isFull = true;
    store.putNote("o", "k", "held");
    expect(store.getNote("o", "k")).toBe("held");
    isFull = false;
    store.putNote("o", "k", "new");
    expect(store.getNote("o", "k")).toBe("new");
  });
});
