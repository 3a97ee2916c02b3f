import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sampleBlob, sampleLineage } from "../../../testing/samples/sample-state.js";
import { type OpenForTest, StoreUnderTest } from "../../../testing/store/store-under-test.js";
import { describeSweeping } from "./sweep.cases.js";

const here = sampleLineage("here");
const elsewhere = sampleLineage("elsewhere");

/** The cases that every store must pass, on disk or in memory. */
export function describeStore(name: string, open: OpenForTest): void {
  const start = (limits = {}) => StoreUnderTest.open(open, limits);
  describeSweeping(name, open);

  describe(`${name} store: content`, () => {
    const sizes = {
      "nothing at all": 0,
      "one byte": 1,
      "a small page": 2_000,
      "a whole page": 4_096,
      "a picture": 3_000_000,
    };
    it.each(Object.entries(sizes))("returns %s: at once, with its row, and after a flush", async (_, size) => {
      const t = await start();
      const blob = sampleBlob(randomBytes(size));
      t.putBlobs("a", blob);
      expect(t.hasBlob("a", blob)).toBe(true);
      t.put("a", "k");
      expect(t.hasBlob("a", blob)).toBe(true);
      await t.store.flush();
      expect(t.hasBlob("a", blob)).toBe(true);
    });

    it("never returns content that does not match its id", async () => {
      const t = await start();
      const { id, data } = sampleBlob("true");
      t.store.putBlob("o", here, id, Buffer.from("false"));
      t.store.put("o", here, { names: ["k"], text: "" });
      expect(t.store.getBlob("o", here, id)).toBeUndefined();
      t.store.putBlob("o", here, id, data);
      expect(t.store.getBlob("o", here, id)).toEqual(data);
    });

    it.each([0, 31, 33, 5_000])("ignores an id of %i bytes", async (length) => {
      const { store } = await start();
      store.putBlob("o", here, Buffer.alloc(length), Buffer.from("x"));
      expect(store.getBlob("o", here, Buffer.alloc(length))).toBeUndefined();
    });

    it("belongs to its lineage, and stays there when a row is replaced", async () => {
      const t = await start();
      const [first, second] = [sampleBlob("first"), sampleBlob("second")];
      t.put("a", "k", first);
      t.store.put("o", sampleLineage("a"), { names: ["k"], text: "replaced" });
      t.put("b", "k", second);
      expect([first, second].map((blob) => t.hasBlob("a", blob))).toEqual([true, false]);
      expect([first, second].map((blob) => t.hasBlob("b", blob))).toEqual([false, true]);
    });

    it("stays in its lineage when its row is removed", async () => {
      const t = await start();
      const blob = sampleBlob("content");
      t.put("a", "k", blob);
      t.store.remove("o", "k");
      expect([t.hasRow("k"), t.hasBlob("a", blob)]).toEqual([false, true]);
    });

    it("is stored once, however often it comes with the same or other rows", async () => {
      const t = await start();
      const blob = sampleBlob(randomBytes(100_000));
      for (let time = 0; time < 20; time++) {
        t.putBlobs("a", blob);
        expect(t.store.put("o", sampleLineage("a"), { names: [`k${time % 2}`], text: `${time}` })).toBe(true);
      }
      expect(t.counted()?.bytes).toBeLessThan(102_000);
      expect(t.hasBlob("a", blob)).toBe(true);
    });

    it("is found if another store has put it since the last lookup", async () => {
      const t = await start();
      const [first, second] = [sampleBlob("first"), sampleBlob("second")];
      t.put("a", "k1", first);
      expect([first, second].map((blob) => t.hasBlob("a", blob))).toEqual([true, false]);
      t.put("a", "k2", second);
      expect([first, second].map((blob) => t.hasBlob("a", blob))).toEqual([true, true]);
    });
  });

  describe(`${name} store: rows`, () => {
    const row = { text: '日本語 \u0000 "quoted" 👩‍👧', bytes: randomBytes(300) };

    it("are returned byte for byte, at once and after a flush, by a name of any length", async () => {
      const { store } = await start();
      for (const name of ["", "k", "x".repeat(20_000)]) {
        store.put("o", here, { names: [name], ...row });
        expect(store.get("o", name)).toEqual({ lineage: here, ...row });
        await store.flush();
        expect(store.get("o", name)).toEqual({ lineage: here, ...row });
      }
    });

    it("are found by each of their names; a shared one leads to the newest", async () => {
      const { store } = await start();
      store.put("o", here, { names: ["one", "shared"], text: "one" });
      store.put("o", elsewhere, { names: ["two", "shared"], text: "two" });
      expect(["one", "two", "shared"].map((name) => store.get("o", name)?.text)).toEqual(["one", "two", "two"]);
      store.remove("o", "two");
      expect(["one", "two", "shared"].map((name) => store.get("o", name)?.text)).toEqual(["one", undefined, undefined]);
    });

    it.each([
      ["the same lineage, and take over its names", here, "newer"],
      ["another lineage, and drop its names", elsewhere, undefined],
    ])("replace one with the same first name in %s", async (_, lineage, underOld) => {
      const t = await start();
      const { store } = t;
      store.put("o", here, { names: ["k", "old"], ...row });
      await store.flush();
      store.put("o", lineage, { names: ["k", "new"], text: "newer" });
      for (const phase of ["before", "after"]) {
        const found = ["k", "new", "old"].map((name) => store.get("o", name)?.text);
        expect(found, `${phase} the flush`).toEqual(["newer", "newer", underOld]);
        await store.flush();
      }
      expect(t.counted()).toMatchObject({ rows: 1 });
    });

    it("are not written again if nothing has changed", async () => {
      const t = await start();
      for (let time = 0; time < 3; time++) t.store.put("o", here, { names: ["k"], ...row });
      expect(t.counted()).toMatchObject({ rows: 1 });
    });

    it("take another name even if nothing else has changed", async () => {
      const { store } = await start();
      store.put("o", here, { names: ["k"], ...row });
      store.put("o", here, { names: ["k", "other"], ...row });
      expect(store.get("o", "other")?.text).toBe(row.text);
    });

    it("are refused with a text over 8 MiB, and the older one is kept", async () => {
      const { store, problems } = await start();
      expect(store.put("o", here, { names: ["k"], text: "x" })).toBe(true);
      expect(store.put("o", here, { names: ["k"], text: "y".repeat(8 * 1024 * 1024 + 1) })).toBe(false);
      expect(store.get("o", "k")?.text).toBe("x");
      expect(problems).toHaveLength(1);
    });

    it("are removed with all of their names, once", async () => {
      const t = await start();
      t.store.put("o", here, { names: ["k", "other"], text: "x" });
      expect([t.store.remove("o", "other"), t.store.remove("o", "k"), t.hasRow("k")]).toEqual([true, false, false]);
    });

    it("are hidden from other owners", async () => {
      const { store } = await start();
      const { id, data } = sampleBlob("mine");
      store.putBlob("a", here, id, data);
      store.put("a", here, { names: ["k"], ...row });
      for (const phase of ["before", "after"]) {
        for (const other of ["b", "", "A", "a ", "ak"]) {
          const seen = [store.getBlob(other, here, id), store.get(other, "k"), store.remove(other, "k")];
          expect(seen, `${phase} the flush`).toEqual([undefined, undefined, false]);
        }
        await store.flush();
      }
      store.put("b", here, { names: ["k"], text: "b's" });
      expect(store.get("a", "k")?.text).toBe(row.text);
    });
  });
}
