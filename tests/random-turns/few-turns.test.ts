import { expect, it } from "vitest";
import { playRandomTurns } from "./random-turns.js";

it.each([{ sharedBlobs: false }, { sharedBlobs: true }])(
  "the ledger notes what Cursor got again, in random turns of three dialects, shared blobs: $sharedBlobs",
  async (remembering) => {
    const { faults, counts } = await playRandomTurns(1, 60, remembering);
    expect(faults).toEqual([]);
    // Otherwise the test would prove nothing.
    expect(Object.keys(counts)).toEqual(
      expect.arrayContaining(["warm", "cold:new", "cold:edited", "cold:settings-changed"]),
    );
  },
);
