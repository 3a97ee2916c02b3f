import { expect, it } from "vitest";
import { playRandomTurns } from "./random-turns.js";

it.each([{ sharedBlobs: false }, { sharedBlobs: true }])(
  "what is noted as sent again is what Cursor gets again, in random turns of three dialects, shared blobs: $sharedBlobs",
  async (remembering) => {
    const { faults, counts } = await playRandomTurns(1, 60, remembering);
    expect(faults).toEqual([]);
    // Otherwise nothing would be proven.
    expect(Object.keys(counts)).toEqual(
      expect.arrayContaining(["warm", "cold:new", "cold:edited", "cold:settings-changed"]),
    );
  },
);
