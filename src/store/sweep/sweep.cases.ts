import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  field,
  type SampleBlob,
  sampleBlob,
  sampleCheckpoint,
  stateNaming,
} from "../../../testing/samples/sample-state.js";
import { type OpenForTest, StoreUnderTest } from "../../../testing/store/store-under-test.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The cases about what a sweep drops and keeps; a part of `describeStore`. */
export function describeSweeping(name: string, open: OpenForTest): void {
  const start = (limits = {}) => StoreUnderTest.open(open, limits);

  describe(`${name} store: what a sweep keeps`, () => {
    it("keeps what a checkpoint reaches, directly, through other blobs and through fields unknown to us", async () => {
      const bench = await start();
      const leaf = sampleBlob("leaf");
      const inner = sampleBlob(field(77, field(3, leaf.id)));
      const direct = sampleBlob("direct");
      const state = Buffer.concat([stateNaming(direct), field(900, field(1, inner.id))]);
      bench.put(leaf, inner, direct, sampleBlob("nobody's"));
      bench.store.putCheckpoint("o", "k", sampleCheckpoint({ state }));
      await bench.settle();
      expect([leaf, inner, direct].every(bench.has)).toBe(true);
      expect(bench.store.stats()).toMatchObject({ checkpoints: 1, blobs: 3 });
    });

    it("keeps a blob that nothing reaches for an hour after it was last put", async () => {
      const bench = await start();
      const blob = sampleBlob("a run is under way");
      bench.put(blob);
      bench.pass(59 * MINUTE_MS);
      expect(bench.sweepAndCount()).toEqual({ checkpoints: 0, blobs: 0 });
      bench.put(blob);
      bench.pass(59 * MINUTE_MS);
      expect(bench.sweepAndCount()).toEqual({ checkpoints: 0, blobs: 0 });
      expect(bench.has(blob)).toBe(true);
      bench.pass(3 * MINUTE_MS);
      expect(bench.sweepAndCount()).toEqual({ checkpoints: 0, blobs: 1 });
      expect(bench.has(blob)).toBe(false);
      expect(bench.store.stats()).toEqual({ checkpoints: 0, blobs: 0, bytes: 0 });
    });

    it("drops blobs with the last checkpoint that reaches them, and not before", async () => {
      const bench = await start();
      const [shared, only] = [sampleBlob("shared"), sampleBlob("only")];
      bench.put(shared, only);
      bench.store.putCheckpoint("o", "k1", sampleCheckpoint({ state: stateNaming(shared), conversationId: "c1" }));
      bench.store.putCheckpoint(
        "o",
        "k2",
        sampleCheckpoint({ state: stateNaming(shared, only), conversationId: "c2" }),
      );
      await bench.settle();
      bench.replace("k2");
      await bench.settle();
      expect([shared, only].map(bench.has)).toEqual([true, false]);
      bench.replace("k1");
      await bench.settle();
      expect(bench.has(shared)).toBe(false);
      expect(bench.store.stats()).toMatchObject({ checkpoints: 2, blobs: 0 });
    });

    it("drops what only a replaced checkpoint of the same conversation reached", async () => {
      const bench = await start();
      const [kept, edited, newer] = [sampleBlob("kept"), sampleBlob("edited"), sampleBlob("newer")];
      bench.put(kept, edited, newer);
      bench.store.putCheckpoint("o", "k", sampleCheckpoint({ state: stateNaming(kept, edited) }));
      await bench.settle();
      bench.store.putCheckpoint("o", "k", sampleCheckpoint({ state: stateNaming(kept, newer) }));
      bench.put(newer);
      await bench.settle();
      expect([kept, edited, newer].map(bench.has)).toEqual([true, false, true]);
    });

    it("keeps one owner's blob although another owner's same blob goes", async () => {
      const bench = await start();
      const blob = sampleBlob("the same");
      for (const owner of ["a", "b"]) bench.store.putBlob(owner, blob.id, blob.data);
      bench.store.putCheckpoint("a", "k", sampleCheckpoint({ state: stateNaming(blob) }));
      await bench.settle();
      expect(bench.store.getBlob("a", blob.id)).toBeDefined();
      expect(bench.store.getBlob("b", blob.id)).toBeUndefined();
    });

    // The smallest slices let much happen between any two of them.
    it.each([
      { sliceWork: 1_500, seed: 7, slices: 1 },
      { sliceWork: 1, seed: 7, slices: 80 },
      { sliceWork: 60, seed: 8, slices: 20 },
    ])("keeps exactly what is reached, whatever happens in whatever order: %o", async ({ sliceWork, seed, slices }) => {
      const bench = await start({ sliceWork });
      const random = seededRandom(seed);
      const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
      const made: SampleBlob[] = [sampleBlob("first")];
      const states = new Map<string, readonly SampleBlob[]>();
      const children = new Map<SampleBlob, readonly SampleBlob[]>();
      for (let round = 0; round < 60; round++) {
        for (let step = 0; step < 8; step++) {
          const key = `k${random(12)}`;
          if (random(4) === 0) {
            bench.replace(key);
            states.set(key, []);
            continue;
          }
          const inner = [pick(made), pick(made)];
          const blob = sampleBlob(Buffer.concat([stateNaming(...inner), field(2, Buffer.from(`${round}.${step}`))]));
          const named = [blob, pick(made)];
          children.set(blob, inner);
          made.push(blob);
          const all = closure(named, children);
          bench.put(...all);
          const conversationId = `c${random(4)}`;
          bench.store.putCheckpoint("o", key, sampleCheckpoint({ state: stateNaming(...named), conversationId }));
          states.set(key, named);
          for (let left = random(slices); left > 0; left--) bench.slice();
        }
        if (random(2) === 0) bench.sweep();
        if (random(3) === 0) await bench.store.flush();
        for (let left = random(slices); left > 0; left--) {
          bench.slice();
          await setImmediate(); // lets the store do its own work
        }
        bench.pass(random(90) * MINUTE_MS);
        const reached = closure([...states.values()].flat(), children);
        for (const blob of reached) expect(bench.has(blob), `round ${round}`).toBe(true);
      }
      await bench.settle();
      const reached = closure([...states.values()].flat(), children);
      expect(made.filter(bench.has).length).toBe(reached.size);
      expect(bench.store.stats()).toMatchObject({ checkpoints: states.size, blobs: reached.size });
    });
  });

  describe(`${name} store: limits`, () => {
    it("drops what was not used for too long; reading is using", async () => {
      const bench = await start({ maxAgeMs: 30 * DAY_MS });
      const blobs = [sampleBlob("read"), sampleBlob("forgotten")];
      bench.put(...blobs);
      for (const [index, blob] of blobs.entries()) {
        const state = stateNaming(blob);
        bench.store.putCheckpoint("o", `k${index}`, sampleCheckpoint({ state, conversationId: `c${index}` }));
      }
      bench.pass(20 * DAY_MS);
      expect(bench.sweepAndCount()).toEqual({ checkpoints: 0, blobs: 0 });
      expect(bench.store.getCheckpoint("o", "k0")).toBeDefined();
      await bench.store.flush();
      bench.pass(11 * DAY_MS);
      expect(bench.sweepAndCount()).toEqual({ checkpoints: 1, blobs: 1 });
      expect(bench.store.getCheckpoint("o", "k1")).toBeUndefined();
      expect(blobs.map(bench.has)).toEqual([true, false]);
      expect(bench.store.getCheckpoint("o", "k0")).toBeDefined();
    });

    it("drops the least recently used when there is too much, with their blobs", async () => {
      const bench = await start({ maxBytes: 1_000_000 });
      const blobs = Array.from({ length: 12 }, (_, index) => sampleBlob(Buffer.alloc(80_000, index)));
      for (const [index, blob] of blobs.entries()) {
        bench.put(blob);
        const state = Buffer.concat([stateNaming(blob), field(3, Buffer.alloc(20_000))]);
        bench.store.putCheckpoint("o", `k${index}`, sampleCheckpoint({ state, conversationId: `c${index}` }));
        bench.pass(2 * HOUR_MS);
      }
      expect(bench.store.getCheckpoint("o", "k2")).toBeDefined();
      const dropped = bench.sweepAndCount();
      expect(dropped.checkpoints).toBeGreaterThan(2);
      expect(dropped.blobs).toBe(dropped.checkpoints);
      expect(bench.store.stats().bytes).toBeLessThanOrEqual(1_000_000);
      const kept = blobs.map((_, index) => bench.store.getCheckpoint("o", `k${index}`) !== undefined);
      expect(kept[2]).toBe(true); // it was read
      expect(kept.slice(3)).toEqual(kept.slice(3).sort());
      expect(blobs.map(bench.has)).toEqual(kept);
    });

    it("refuses writes far above the limit, reads on, and keeps no checkpoint without its blobs", async () => {
      const bench = await start({ maxBytes: 1_000_000 });
      const { store, problems } = bench;
      const blobs = Array.from({ length: 10 }, (_, index) => sampleBlob(Buffer.alloc(150_000, index)));
      for (const { id, data } of blobs) store.putBlob("o", id, data);
      const isKept = blobs.map(({ id }) => store.getBlob("o", id) !== undefined);
      expect(isKept).toEqual([true, true, true, true, true, true, true, true, false, false]);
      expect(problems).toHaveLength(2);
      store.putCheckpoint("o", "whole", sampleCheckpoint({ state: stateNaming(...blobs.slice(0, 3)) }));
      store.putCheckpoint("o", "half", sampleCheckpoint({ state: stateNaming(...blobs.slice(7, 9)) }));
      expect(store.getCheckpoint("o", "whole")).toBeDefined();
      expect(store.getCheckpoint("o", "half")).toBeUndefined();
      bench.pass(2 * HOUR_MS); // unreached blobs may go now, which makes room
      bench.sweep();
      for (const { id, data } of blobs.slice(7, 9)) store.putBlob("o", id, data);
      store.putCheckpoint("o", "half", sampleCheckpoint({ state: stateNaming(...blobs.slice(7, 9)) }));
      expect(store.getCheckpoint("o", "half")).toBeDefined();
      expect(blobs.slice(7, 9).every(({ id }) => store.getBlob("o", id) !== undefined)).toBe(true);
    });

    it("writes little more than its state for a checkpoint late in a conversation", async () => {
      const bench = await start();
      const messages = Array.from({ length: 1_000 }, (_, index) =>
        sampleBlob(Buffer.alloc(1_024, `message ${index} `)),
      );
      let before = 0;
      for (let count = 1; count <= messages.length; count++) {
        before = bench.store.stats().bytes;
        bench.put(...messages.slice(count - 1, count));
        const state = stateNaming(...messages.slice(0, count));
        bench.store.putCheckpoint("o", `k${count}`, sampleCheckpoint({ state }));
        if (count % 100 === 0) bench.sweep();
      }
      const cost = bench.store.stats().bytes - before;
      expect(cost).toBeLessThan(1_000 * 34 + 1_024 + 1_000);
      expect(bench.store.stats()).toMatchObject({ checkpoints: 1_000, blobs: 1_000 });
    });
  });
}

/** The blobs and all blobs that they name. */
function closure(
  blobs: readonly SampleBlob[],
  children: ReadonlyMap<SampleBlob, readonly SampleBlob[]>,
): ReadonlySet<SampleBlob> {
  const reached = new Set(blobs);
  for (const blob of reached) for (const child of children.get(blob) ?? []) reached.add(child);
  return reached;
}

function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}
