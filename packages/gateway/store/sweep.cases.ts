import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type SampleBlob, sampleBlob, sampleLineage } from "../../../testing/samples/sample-state.js";
import { type OpenForTest, StoreUnderTest } from "../../../testing/store/store-under-test.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The cases about what a sweep drops and keeps; a part of `describeStore`. */
export function describeSweeping(name: string, open: OpenForTest): void {
  const start = (limits = {}) => StoreUnderTest.open(open, limits);

  describe(`${name} store: what a sweep keeps`, () => {
    it("keeps a whole lineage as long as its newest row is young, then drops it whole", async () => {
      const t = await start({ maxAgeMs: 30 * DAY_MS });
      const [old, young] = [sampleBlob("old"), sampleBlob("young")];
      t.put("a", "a1", old);
      t.put("b", "b1", old);
      t.pass(20 * DAY_MS);
      t.put("a", "a2", young);
      t.pass(11 * DAY_MS);
      t.sweep();
      expect(["a1", "a2", "b1"].map((row) => t.hasRow(row))).toEqual([true, true, false]);
      expect([t.hasBlob("a", old), t.hasBlob("a", young), t.hasBlob("b", old)]).toEqual([true, true, false]);
      await t.store.flush();
      t.pass(20 * DAY_MS);
      expect(t.counted()).toEqual({ lineages: 0, rows: 0, bytes: 0 });
      expect(["a1", "a2"].map((row) => t.hasRow(row))).toEqual([false, false]);
    });

    it("keeps content without a row for an hour, on disk from the first sweep on", async () => {
      const t = await start();
      const blob = sampleBlob("a run is under way");
      t.putBlobs("a", blob);
      t.pass(2 * MINUTE_MS);
      expect(t.counted()).toMatchObject({ lineages: 1, rows: 1 });
      t.pass(57 * MINUTE_MS);
      t.sweep();
      expect(t.hasBlob("a", blob)).toBe(true);
      t.pass(5 * MINUTE_MS);
      expect(t.counted()).toEqual({ lineages: 0, rows: 0, bytes: 0 });
      expect(t.hasBlob("a", blob)).toBe(false);
    });

    // The smallest slices let much happen between any two of them.
    it.each([
      { sliceWork: 1_500, seed: 7, slices: 1 },
      { sliceWork: 1, seed: 7, slices: 80 },
      { sliceWork: 60, seed: 8, slices: 20 },
    ])("keeps exactly what is young, under random operations: %o", async ({ sliceWork, seed, slices }) => {
      const maxAgeMs = 10 * HOUR_MS;
      const t = await start({ sliceWork, maxAgeMs });
      const random = seededRandom(seed);
      let nowMs = 0;
      const pass = (ms: number) => {
        nowMs += ms;
        t.pass(ms);
      };
      interface Lineage {
        readonly rows: Map<string, string>;
        readonly blobs: SampleBlob[];
        newestMs: number;
      }
      const lineages = new Map<string, Lineage>();
      const check = (when: string) => {
        for (const [lineage, { rows, blobs, newestMs }] of lineages) {
          if (newestMs < nowMs - maxAgeMs) continue;
          for (const [row, text] of rows) expect(t.store.get("o", row)?.text, when).toBe(text);
          for (const blob of blobs) expect(t.hasBlob(lineage, blob), when).toBe(true);
        }
      };
      for (let round = 0; round < 60; round++) {
        for (let step = 0; step < 8; step++) {
          const lineage = `l${random(8)}.${Math.floor(round / 15)}`;
          const known: Lineage = lineages.get(lineage) ?? { rows: new Map(), blobs: [], newestMs: nowMs };
          if (known.newestMs < nowMs - maxAgeMs) continue; // it may be gone
          lineages.set(lineage, known);
          const blob = sampleBlob(`${round}.${step}`);
          const [row, text] = [`${lineage}.${random(6)}`, `${round}.${step}`];
          t.putBlobs(lineage, blob);
          t.store.put("o", sampleLineage(lineage), { names: [row], text });
          known.blobs.push(blob);
          known.rows.set(row, text);
          known.newestMs = nowMs;
          for (let left = random(slices); left > 0; left--) t.slice();
        }
        if (random(2) === 0) t.sweep();
        if (random(3) === 0) await t.store.flush();
        for (let left = random(slices); left > 0; left--) {
          t.slice();
          await setImmediate(); // lets the store do its own work
        }
        pass(random(90) * MINUTE_MS);
        check(`round ${round}`);
      }
      pass(9 * HOUR_MS);
      t.sweep();
      t.sweep();
      const young = [...lineages.values()].filter(({ newestMs }) => newestMs >= nowMs - maxAgeMs);
      const rows = young.reduce((sum, each) => sum + each.rows.size, 0);
      expect(t.store.stats()).toMatchObject({ lineages: young.length, rows });
      const old = [...lineages.values()].filter((each) => !young.includes(each));
      expect(old.flatMap((each) => [...each.rows.keys()]).filter((row) => t.hasRow(row))).toEqual([]);
      pass(2 * maxAgeMs);
      expect(t.counted()).toEqual({ lineages: 0, rows: 0, bytes: 0 });
    });
  });

  describe(`${name} store: limits`, () => {
    it.each([2 * HOUR_MS, 2_000, 10])(
      "evicts the lineages that were continued longest ago, %i ms apart",
      async (apartMs) => {
        const t = await start({ maxBytes: 1_000_000 });
        for (let index = 0; index < 11; index++) {
          t.put(`${index}`, `k${index}`, sampleBlob(Buffer.alloc(100_000, index)));
          t.pass(apartMs);
        }
        t.put("2", "later");
        expect(t.counted()?.bytes).toBeLessThanOrEqual(1_000_000);
        const kept = Array.from({ length: 11 }, (_, index) => t.hasRow(`k${index}`));
        expect(kept[2]).toBe(true);
        expect(kept.slice(0, 2)).toEqual([false, false]);
        expect(kept.slice(3)).toEqual(kept.slice(3).toSorted());
        expect(kept.map((_, index) => t.hasBlob(`${index}`, sampleBlob(Buffer.alloc(100_000, index))))).toEqual(kept);
      },
    );

    it("refuses rows far above the limit, still serves reads, and holds the content of refused rows", async () => {
      const t = await start({ maxBytes: 1_000_000 });
      const blobs = Array.from({ length: 10 }, (_, index) => sampleBlob(Buffer.alloc(150_000, index)));
      // The clock stands still, so all rows have the same age.
      const isKept = blobs.map((blob, index) => t.put("a", `k${index}`, blob));
      expect(isKept).toEqual([true, true, true, true, true, true, true, true, false, false]);
      expect(t.problems).toHaveLength(2);
      expect(blobs.every((blob) => t.hasBlob("a", blob))).toBe(true);
      expect([t.hasRow("k0"), t.hasRow("k9")]).toEqual([true, false]);
    });

    it("writes little more than the state for a late row of a conversation", async () => {
      const t = await start();
      const lineage = sampleLineage("long");
      let before = 0;
      for (let count = 1; count <= 1_000; count++) {
        if (count === 1_000) before = t.counted()?.bytes ?? 0;
        t.putBlobs("long", sampleBlob(Buffer.alloc(1_024, `message ${count} `)));
        t.store.put("o", lineage, { names: [`k${count}`], text: "{}", bytes: Buffer.alloc(count * 34) });
      }
      const { rows, bytes } = t.counted() ?? { rows: 0, bytes: 0 };
      expect(rows).toBe(1_000);
      expect(bytes - before).toBeLessThan(1_000 * 34 + 1_024 + 1_000);
    });
  });
}

function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}
