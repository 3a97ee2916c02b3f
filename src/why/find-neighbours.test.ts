import { describe, expect, it } from "vitest";
import { MemoryReader } from "../../testing/ledger/memory-reader.js";
import { noonMs, sampleEntry } from "../../testing/ledger/sample-entries.js";
import type { EntrySearch, LedgerEntry } from "../ledger/entry.js";
import { findNeighbours } from "./index.js";

const roundOf = (round: number, changes: Partial<LedgerEntry> = {}) =>
  sampleEntry({ id: `round-${round}`, turnId: "round-0", round, atMs: noonMs + round, ...changes });

/** Looks at one entry in each step, and counts the steps. */
class SlowReader extends MemoryReader {
  steps = 0;

  override search({ before = "0", maxLooked, limit, ...filter }: EntrySearch) {
    this.steps++;
    const from = Number(before);
    const newestFirst = this.list.toSorted((one, other) => other.atMs - one.atMs);
    const looked = new MemoryReader(newestFirst.slice(from, from + Math.min(1, maxLooked)));
    const next = from + 1 < newestFirst.length ? String(from + 1) : null;
    return { entries: looked.entries({ ...filter, limit }), before: next };
  }
}

describe("the neighbours of a request", () => {
  it("are its turn, and the turn before in its conversation", async () => {
    const [first, second] = [roundOf(0), roundOf(1)];
    const before = sampleEntry({ id: "before", atMs: noonMs - 1 });
    const elsewhere = sampleEntry({ id: "elsewhere", thread: "thread-2", atMs: noonMs - 1 });
    const found = await findNeighbours(new MemoryReader([second, elsewhere, before, first]), second);
    expect(found).toEqual({ turn: [first, second], before });
  });

  it("are found in steps, and no step comes after the first request of the turn", async () => {
    const turn = [0, 1, 2].map((round) => roundOf(round));
    const older = sampleEntry({ id: "older", thread: "thread-2", atMs: noonMs - 1 });
    const before = sampleEntry({ id: "before", atMs: noonMs - 1_000 });
    const reader = new SlowReader([...turn, older, before]);
    expect(await findNeighbours(reader, turn[2] ?? before)).toEqual({ turn, before });
    // Three for the turn, and all five entries once for the turn before.
    expect(reader.steps).toBe(3 + 5);
  });

  it("are none of a request without a conversation", async () => {
    const alone = sampleEntry({ id: "alone", thread: null });
    const other = sampleEntry({ id: "other", thread: null, atMs: noonMs - 1 });
    expect(await findNeighbours(new MemoryReader([alone, other]), alone)).toEqual({ turn: [alone], before: undefined });
  });
});
