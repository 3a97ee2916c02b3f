import { describe, expect, it } from "vitest";
import { sampleLineage } from "../../../testing/samples/sample-state.js";
import { LineageStore } from "./lineage-store.js";
import { memoryTables } from "./memory.js";
import { withOverflow } from "./with-overflow.js";

describe("a row that a store refuses", () => {
  const lineage = sampleLineage("a");
  const open = (maxHeldBytes: number, isFull = () => true) => {
    const clock = { nowMs: 1_800_000_000_000 };
    const now = () => clock.nowMs;
    const inner = new LineageStore({ tables: { ...memoryTables(), isFull }, maxBytes: 1_000_000, now });
    const store = withOverflow(inner, now, maxHeldBytes);
    const put = (name: string, text = name) => store.put("o", lineage, { names: [name], text });
    return { store, clock, put, textOf: (name: string) => store.get("o", name)?.text };
  };

  it("is held for its owner, by each of its names", () => {
    const { store } = open(10_000);
    const row = { names: ["k", "other"], text: "noted ü", bytes: Buffer.from("state") };
    expect(store.put("o", lineage, row)).toBe(true);
    for (const name of row.names)
      expect(store.get("o", name)).toMatchObject({ lineage, text: "noted ü", bytes: row.bytes });
    expect(store.get("p", "k")).toBeUndefined();
    expect([store.remove("o", "k"), store.get("o", "k")]).toEqual([true, undefined]);
  });

  it("is evicted oldest first and after an hour; one large row does not evict all others", () => {
    const { clock, put, textOf } = open(10_000);
    const names = ["0", "1", "2", "3", "4", "5"];
    for (const name of names) put(name, name.repeat(3_000));
    const held = () => names.map((name) => textOf(name) !== undefined);
    expect(held()).toEqual([false, false, false, true, true, true]);
    expect(put("large", "x".repeat(6_000))).toBe(false);
    expect(held()).toEqual([false, false, false, true, true, true]);
    clock.nowMs += 61 * 60_000;
    put("later");
    expect(held()).toEqual(Array(6).fill(false));
    expect(textOf("later")).toBe("later");
  });

  it("yields to a newer row in the store once there is room", () => {
    let isFull = false;
    const { put, textOf } = open(10_000, () => isFull);
    put("k", "old");
    isFull = true;
    put("k", "held");
    expect(textOf("k")).toBe("held");
    isFull = false;
    put("k", "new");
    expect(textOf("k")).toBe("new");
  });
});
