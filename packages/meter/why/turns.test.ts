import { describe, expect, it } from "vitest";
import { MemoryReader } from "../../../testing/ledger/memory-reader.js";
import { noonMs, sampleEntry, sampleTokens } from "../../../testing/ledger/sample-entries.js";
import type { LedgerEntry } from "../ledger/entry.js";
import { chooseTurn, findNeighbours } from "./index.js";

const roundOf = (round: number, changes: Partial<LedgerEntry> = {}) =>
  sampleEntry({ id: `round-${round}`, turnId: "round-0", round, atMs: noonMs + round, ...changes });

describe("the neighbours of a request", () => {
  it("are its turn, and the turn before in its conversation", async () => {
    const [first, second] = [roundOf(0), roundOf(1)];
    const before = sampleEntry({ id: "before", atMs: noonMs - 1 });
    const elsewhere = sampleEntry({ id: "elsewhere", thread: "thread-2", atMs: noonMs - 1 });
    const found = await findNeighbours(new MemoryReader([second, elsewhere, before, first]), second);
    expect(found).toEqual({ turn: [first, second], before });
  });

  it("are found in steps, which end with the first request of the turn", async () => {
    const turn = [0, 1, 2].map((round) => roundOf(round));
    const older = sampleEntry({ id: "older", thread: "thread-2", atMs: noonMs - 1 });
    const before = sampleEntry({ id: "before", atMs: noonMs - 1_000 });
    const reader = new MemoryReader([...turn, older, before]);
    expect(await findNeighbours(reader, turn[2] ?? before)).toEqual({ turn, before });
    expect(reader.found).toEqual(["round-2", "round-1", "round-0", "before"]);
  });

  it("do not exist for a request without a conversation", async () => {
    const alone = sampleEntry({ id: "alone", thread: null });
    const other = sampleEntry({ id: "other", thread: null, atMs: noonMs - 1 });
    expect(await findNeighbours(new MemoryReader([alone, other]), alone)).toEqual({ turn: [alone], before: undefined });
  });
});

describe("the turn that is most worth explaining", () => {
  const small = sampleEntry({ id: "small", atMs: noonMs - 3_000 });
  const dear = sampleEntry({ id: "dear", atMs: noonMs - 2_000, tokens: sampleTokens({ input: 90_000 }) });
  const cold = sampleEntry({ id: "cold", atMs: noonMs - 1_000, continuity: "cold:edited", sentAgainTokens: 48_213 });

  it("is the one that resent the most of its conversation", () => {
    expect(chooseTurn([small, dear, cold])).toEqual({
      entry: cold,
      because: "Of the last 3 turns, this one resent the most of its conversation: about 48,000 tokens.",
    });
  });

  it("is the most expensive one if nothing was resent", () => {
    expect(chooseTurn([dear, small])).toEqual({
      entry: dear,
      because: "Of the last 2 turns, this one was the most expensive: 78,850 tokens uncached or generated.",
    });
  });

  it("may be the most expensive one of a longer period, and not among the newest", () => {
    const because = "Of the turns in this time, this one was the most expensive: 78,850 tokens uncached or generated.";
    expect(chooseTurn([small], [dear, small])).toEqual({ entry: dear, because });
  });

  it("counts the requests of a turn as one", () => {
    const [first, second] = ["a", "b"].map((id, round) =>
      sampleEntry({ id, turnId: "a", round, atMs: noonMs + round, tokens: round === 0 ? null : sampleTokens() }),
    );
    const chosen = chooseTurn([second ?? small, first ?? small]);
    expect(chosen?.entry.id).toBe("a");
    expect(chosen?.because).toMatch(/^The only turn was the most expensive: 1,195 tokens/);
  });

  it("is the last failure if no tokens are booked", () => {
    const failed = sampleEntry({ id: "failed", tokens: null, outcome: "timeout" });
    expect(chooseTurn([sampleEntry({ id: "open", tokens: null, atMs: noonMs + 1 }), failed])).toEqual({
      entry: failed,
      because: "No turn has figures from Cursor; this is the last failure, or else the last turn.",
    });
  });

  it("is never one whose tokens are estimates, such as one that was stopped", () => {
    const stopped = { outcome: "client-left", tokens: sampleTokens({ input: 90_000, cacheRead: 0, estimated: true }) };
    const [dearest, coldest] = [{}, { sentAgainTokens: 90_000 }].map((changes, at) =>
      sampleEntry({ id: `stopped-${at}`, atMs: noonMs + at, ...stopped, ...changes }),
    );
    expect(chooseTurn([coldest ?? small, dearest ?? small, small])?.entry).toBe(small);
  });

  it("is undefined without entries", () => {
    expect(chooseTurn([])).toBeUndefined();
  });
});
