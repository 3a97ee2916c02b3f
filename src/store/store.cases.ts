import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { field, type SampleBlob, sampleBlob, sampleCheckpoint, stateNaming } from "./sample-state.js";
import type { Store, StoreOptions } from "./store.js";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A store with its clock and the problems it reported. */
export interface StoreUnderTest {
  readonly store: Store;
  readonly problems: Error[];
  pass(ms: number): void;
}

export type OpenForTest = (options: StoreOptions) => Promise<Store>;

/** What every store must do, wherever it keeps things. */
export function describeStore(name: string, open: OpenForTest): void {
  const start = async (limits: Pick<StoreOptions, "maxBytes" | "maxAgeMs"> = {}): Promise<Bench> => {
    const problems: Error[] = [];
    let nowMs = 1_800_000_000_000;
    const store = await open({ ...limits, now: () => nowMs, onProblem: (problem) => problems.push(problem) });
    return new Bench(
      store,
      problems,
      () => nowMs,
      (ms) => {
        nowMs += ms;
      },
    );
  };

  describe(`${name} store: blobs`, () => {
    const sizes = {
      "nothing at all": 0,
      "one byte": 1,
      "a small page": 2_000,
      "a whole page": 4_096,
      "a picture": 3_000_000,
    };
    it.each(Object.entries(sizes))("gives back %s, at once and after a flush", async (_, size) => {
      const { store } = await start();
      const { id, data } = sampleBlob(randomBytes(size));
      store.putBlob("o", id, data);
      expect(data.equals(store.getBlob("o", id) ?? Buffer.from("missing"))).toBe(true);
      await store.flush();
      expect(data.equals(store.getBlob("o", id) ?? Buffer.from("missing"))).toBe(true);
    });

    it("keeps its own copy", async () => {
      const { store } = await start();
      const { id, data } = sampleBlob("as it was");
      store.putBlob("o", id, data);
      data.fill(0);
      expect(Buffer.from(store.getBlob("o", id) ?? []).toString()).toBe("as it was");
    });

    it("refuses what is not what its id says, so that it cannot stand in the way of the true one", async () => {
      const { store, problems } = await start();
      const { id, data } = sampleBlob("true");
      store.putBlob("o", id, Buffer.from("false"));
      expect(store.getBlob("o", id)).toBeUndefined();
      expect(problems).toHaveLength(1);
      store.putBlob("o", id, data);
      expect(store.getBlob("o", id)).toEqual(data);
    });

    it.each([0, 31, 33, 5_000])("knows nothing by an id of %i bytes", async (length) => {
      const { store } = await start();
      store.putBlob("o", Buffer.alloc(length), Buffer.from("x"));
      expect(store.getBlob("o", Buffer.alloc(length))).toBeUndefined();
    });
  });

  describe(`${name} store: checkpoints and notes`, () => {
    const checkpoint = sampleCheckpoint({
      state: randomBytes(300),
      conversationId: '日本語 \u0000 \ud83d "quoted"',
      phase: "staged",
      calls: [{ id: "call_1", upstreamId: "tool\nid", name: "bash", input: '{"cmd":"ls 👩‍👧"}' }],
      memo: JSON.stringify({ reported: { input: 12 } }),
    });

    it("gives a checkpoint back byte for byte, at once and after a flush, by a key of any length", async () => {
      const { store } = await start();
      for (const key of ["", "k", "x".repeat(20_000)]) {
        store.putCheckpoint("o", key, checkpoint);
        expect(store.getCheckpoint("o", key)).toEqual(checkpoint);
        await store.flush();
        expect(store.getCheckpoint("o", key)).toEqual(checkpoint);
      }
      expect(store.stats().checkpoints).toBe(3);
    });

    it("replaces a checkpoint and deletes it", async () => {
      const { store } = await start();
      store.putCheckpoint("o", "k", checkpoint);
      await store.flush();
      store.putCheckpoint("o", "k", sampleCheckpoint({ memo: "newer" }));
      expect(store.getCheckpoint("o", "k")?.memo).toBe("newer");
      expect(store.stats().checkpoints).toBe(1);
      store.deleteCheckpoint("o", "k");
      store.deleteCheckpoint("o", "never there");
      expect(store.getCheckpoint("o", "k")).toBeUndefined();
      await store.flush();
      expect(store.getCheckpoint("o", "k")).toBeUndefined();
      expect(store.stats()).toEqual({ checkpoints: 0, blobs: 0, bytes: 0 });
    });

    it("keeps the checkpoint it had when a newer one has too long a memo", async () => {
      const { store, problems } = await start();
      store.putCheckpoint("o", "k", sampleCheckpoint({ memo: "x".repeat(64 * 1024) }));
      store.putCheckpoint("o", "k", sampleCheckpoint({ memo: "y".repeat(64 * 1024 + 1) }));
      expect(store.getCheckpoint("o", "k")?.memo[0]).toBe("x");
      expect(problems).toHaveLength(1);
    });

    it("keeps notes until they are too old", async () => {
      const { store, pass, now } = await start({ maxAgeMs: day });
      store.putNote("o", "k", "first");
      store.putNote("o", "k", "second ✓");
      pass(day);
      expect(store.getNote("o", "k")).toBe("second ✓");
      store.sweep(now());
      await store.flush();
      expect(store.getNote("o", "k")).toBe("second ✓");
      pass(1);
      expect(store.getNote("o", "k")).toBeUndefined();
      store.sweep(now());
      expect(store.stats().bytes).toBe(0);
    });

    it("shows no owner what is another's", async () => {
      const { store } = await start();
      const { id, data } = sampleBlob("mine");
      store.putBlob("a", id, data);
      store.putCheckpoint("a", "k", checkpoint);
      store.putNote("a", "k", "mine");
      for (const phase of ["before", "after"]) {
        for (const other of ["b", "", "A", "a ", "ak"]) {
          const seen = [store.getBlob(other, id), store.getCheckpoint(other, "k"), store.getNote(other, "k")];
          expect(seen, `${phase} the flush`).toEqual([undefined, undefined, undefined]);
        }
        store.deleteCheckpoint("b", "k");
        await store.flush();
      }
      expect(store.getCheckpoint("a", "k")).toEqual(checkpoint);
    });
  });

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
      bench.pass(59 * minute);
      expect(bench.sweep()).toEqual({ checkpoints: 0, blobs: 0 });
      bench.put(blob);
      bench.pass(59 * minute);
      expect(bench.sweep()).toEqual({ checkpoints: 0, blobs: 0 });
      expect(bench.has(blob)).toBe(true);
      bench.pass(3 * minute);
      expect(bench.sweep()).toEqual({ checkpoints: 0, blobs: 1 });
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
      bench.store.deleteCheckpoint("o", "k2");
      await bench.settle();
      expect([shared, only].map(bench.has)).toEqual([true, false]);
      bench.store.deleteCheckpoint("o", "k1");
      await bench.settle();
      expect(bench.has(shared)).toBe(false);
      expect(bench.store.stats()).toEqual({ checkpoints: 0, blobs: 0, bytes: 0 });
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

    it("keeps exactly what is reached, whatever happens in whatever order", async () => {
      const bench = await start();
      const random = seededRandom(7);
      const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
      const made: SampleBlob[] = [sampleBlob("first")];
      const states = new Map<string, readonly SampleBlob[]>();
      const children = new Map<SampleBlob, readonly SampleBlob[]>();
      for (let round = 0; round < 60; round++) {
        for (let step = 0; step < 8; step++) {
          const key = `k${random(12)}`;
          if (random(4) === 0) {
            bench.store.deleteCheckpoint("o", key);
            states.delete(key);
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
        }
        if (random(2) === 0) bench.sweep();
        if (random(3) === 0) await bench.store.flush();
        bench.pass(random(90) * minute);
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
      const bench = await start({ maxAgeMs: 30 * day });
      const blobs = [sampleBlob("read"), sampleBlob("forgotten")];
      bench.put(...blobs);
      for (const [index, blob] of blobs.entries()) {
        const state = stateNaming(blob);
        bench.store.putCheckpoint("o", `k${index}`, sampleCheckpoint({ state, conversationId: `c${index}` }));
      }
      bench.pass(20 * day);
      expect(bench.sweep()).toEqual({ checkpoints: 0, blobs: 0 });
      expect(bench.store.getCheckpoint("o", "k0")).toBeDefined();
      await bench.store.flush();
      bench.pass(11 * day);
      expect(bench.sweep()).toEqual({ checkpoints: 1, blobs: 1 });
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
        bench.pass(2 * hour);
      }
      expect(bench.store.getCheckpoint("o", "k2")).toBeDefined();
      const dropped = bench.sweep();
      expect(dropped.checkpoints).toBeGreaterThan(2);
      expect(dropped.blobs).toBe(dropped.checkpoints);
      expect(bench.store.stats().bytes).toBeLessThanOrEqual(1_000_000);
      const kept = blobs.map((_, index) => bench.store.getCheckpoint("o", `k${index}`) !== undefined);
      expect(kept[2]).toBe(true); // it was read
      expect(kept.slice(3)).toEqual(kept.slice(3).sort());
      expect(blobs.map(bench.has)).toEqual(kept);
    });

    it("refuses writes far above the limit, reads on, and keeps no checkpoint without its blobs", async () => {
      const { store, problems, pass } = await start({ maxBytes: 1_000_000 });
      const blobs = Array.from({ length: 10 }, (_, index) => sampleBlob(Buffer.alloc(150_000, index)));
      for (const { id, data } of blobs) store.putBlob("o", id, data);
      const isKept = blobs.map(({ id }) => store.getBlob("o", id) !== undefined);
      expect(isKept).toEqual([true, true, true, true, true, true, true, true, false, false]);
      expect(problems).toHaveLength(2);
      store.putCheckpoint("o", "whole", sampleCheckpoint({ state: stateNaming(...blobs.slice(0, 3)) }));
      store.putCheckpoint("o", "half", sampleCheckpoint({ state: stateNaming(...blobs.slice(7, 9)) }));
      expect(store.getCheckpoint("o", "whole")).toBeDefined();
      expect(store.getCheckpoint("o", "half")).toBeUndefined();
      pass(2 * hour); // what nothing reaches may go now, which makes room
      for (const { id, data } of blobs.slice(7, 9)) store.putBlob("o", id, data);
      store.putCheckpoint("o", "half", sampleCheckpoint({ state: stateNaming(...blobs.slice(7, 9)) }));
      expect(store.getCheckpoint("o", "half")).toBeDefined();
      expect(blobs.slice(7, 9).every(({ id }) => store.getBlob("o", id) !== undefined)).toBe(true);
    });

    it("pays for a checkpoint late in a conversation about what its state takes", async () => {
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

    it("sweeps ten thousand checkpoints in slices that do not block for long", async () => {
      const bench = await start();
      for (let conversation = 0; conversation < 200; conversation++) {
        const own: SampleBlob[] = [];
        for (let turn = 0; turn < 50; turn++) {
          own.push(sampleBlob(`${conversation}.${turn}`));
          bench.put(...own.slice(-1));
          const facts = { state: stateNaming(...own), conversationId: `c${conversation}` };
          bench.store.putCheckpoint("o", `${conversation}.${turn}`, sampleCheckpoint(facts));
        }
      }
      await bench.store.flush();
      const longest = await bench.sweepOften();
      bench.pass(31 * day);
      const longestDropping = await bench.sweepOften();
      expect(bench.store.stats()).toEqual({ checkpoints: 0, blobs: 0, bytes: 0 });
      // A tenth of it on a calm machine.
      expect(Math.max(longest, longestDropping)).toBeLessThan(1_000);
    });
  });
}

class Bench implements StoreUnderTest {
  readonly store: Store;
  readonly problems: Error[];
  readonly now: () => number;
  readonly pass: (ms: number) => void;

  constructor(store: Store, problems: Error[], now: () => number, pass: (ms: number) => void) {
    this.store = store;
    this.problems = problems;
    this.now = now;
    this.pass = pass;
  }

  put(...blobs: Iterable<SampleBlob>[] | SampleBlob[]): void {
    for (const { id, data } of blobs.flatMap((each) => (Symbol.iterator in each ? [...each] : [each]))) {
      this.store.putBlob("o", id, data);
    }
  }

  readonly has = ({ id }: SampleBlob): boolean => this.store.getBlob("o", id) !== undefined;

  sweep() {
    return this.store.sweep(this.now());
  }

  /** Long enough afterwards for nothing to be kept for its freshness. Twice, because a sweep goes on where the last one ended. */
  async settle(): Promise<void> {
    await this.store.flush();
    this.sweep();
    this.pass(2 * hour);
    this.sweep();
    await this.store.flush();
    this.sweep();
  }

  /** As the owner's timer would. Returns how long the longest slice took, in ms of this process. */
  async sweepOften(): Promise<number> {
    let longest = 0;
    for (let round = 0; round < 20; round++) {
      const before = process.cpuUsage();
      this.sweep();
      const { user, system } = process.cpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
      await this.store.flush();
      this.pass(minute);
    }
    return longest;
  }
}

/** The blobs themselves and all they name. */
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
