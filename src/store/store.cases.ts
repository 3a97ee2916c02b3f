import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sampleBlob, sampleCheckpoint } from "../../testing/samples/sample-state.js";
import { type OpenForTest, StoreUnderTest } from "../../testing/store/store-under-test.js";
import { describeSweeping } from "./sweep/sweep.cases.js";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The cases that every store must pass, on disk or in memory. */
export function describeStore(name: string, open: OpenForTest): void {
  const start = (limits = {}) => StoreUnderTest.open(open, limits);
  describeSweeping(name, open);

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

    it("refuses content that does not match its id, so that it cannot block the true blob", async () => {
      const { store, problems } = await start();
      const { id, data } = sampleBlob("true");
      store.putBlob("o", id, Buffer.from("false"));
      expect(store.getBlob("o", id)).toBeUndefined();
      expect(problems).toHaveLength(1);
      store.putBlob("o", id, data);
      expect(store.getBlob("o", id)).toEqual(data);
    });

    it("trusts a caller who has hashed the content, and still never returns content that does not match its id", async () => {
      const { store } = await start();
      const { id, data } = sampleBlob("true");
      expect(store.putBlob("o", id, Buffer.from("false"), { isHashed: true })).toBe(true);
      expect(store.getBlob("o", id)).toBeUndefined();
      store.putBlob("o", id, data, { isHashed: true });
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

    it("replaces a checkpoint", async () => {
      const { store } = await start();
      store.putCheckpoint("o", "k", checkpoint);
      await store.flush();
      store.putCheckpoint("o", "k", sampleCheckpoint({ memo: "newer" }));
      expect(store.getCheckpoint("o", "k")?.memo).toBe("newer");
      expect(store.stats().checkpoints).toBe(1);
      await store.flush();
      expect(store.getCheckpoint("o", "k")?.memo).toBe("newer");
      expect(store.stats().checkpoints).toBe(1);
    });

    it("keeps the older checkpoint when the memo of a newer one is too long", async () => {
      const { store, problems } = await start();
      store.putCheckpoint("o", "k", sampleCheckpoint({ memo: "x".repeat(64 * 1024) }));
      store.putCheckpoint("o", "k", sampleCheckpoint({ memo: "y".repeat(64 * 1024 + 1) }));
      expect(store.getCheckpoint("o", "k")?.memo[0]).toBe("x");
      expect(problems).toHaveLength(1);
    });

    it("keeps notes until they are too old", async () => {
      const bench = await start({ maxAgeMs: DAY_MS });
      const { store } = bench;
      store.putNote("o", "k", "first");
      store.putNote("o", "k", "second ✓");
      bench.pass(DAY_MS);
      expect(store.getNote("o", "k")).toBe("second ✓");
      bench.sweep();
      await store.flush();
      expect(store.getNote("o", "k")).toBe("second ✓");
      bench.pass(1);
      expect(store.getNote("o", "k")).toBeUndefined();
      bench.sweep();
      expect(store.stats().bytes).toBe(0);
    });

    it("shows no owner what belongs to another", async () => {
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
        await store.flush();
      }
      store.putCheckpoint("b", "k", sampleCheckpoint({ memo: "b's" }));
      expect(store.getCheckpoint("a", "k")).toEqual(checkpoint);
    });
  });
}
