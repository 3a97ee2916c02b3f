import { expect, it } from "vitest";
import { playRandomTurns } from "./random-turns.js";

const SEEDS = 20;
const TURNS_EACH = 100;

it("the ledger notes what Cursor got again, in 2,000 random turns", async () => {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (let seed = 100; seed < 100 + SEEDS; seed++) {
    const played = await playRandomTurns(seed, TURNS_EACH, { sharedBlobs: seed % 2 === 0 });
    faults.push(...played.faults);
    for (const continuity of Object.keys(played.counts)) seen.add(continuity);
  }
  expect(faults).toEqual([]);
  expect([...seen]).toEqual(
    expect.arrayContaining(["warm:steered", "warm:settings-changed", "resumed", "cold:edited", "cold:unknown-call"]),
  );
}, 1_800_000);
