import { describe, expect, it } from "vitest";
import { userTurn } from "../../../../testing/backends/scripted/index.js";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { keepCheckpoint } from "../../../../testing/samples/sample-position.js";
import { assistant, user } from "../../../../testing/samples/sample-turns.js";
import { createMemoryStore } from "../../store/index.js";
import { transcriptKeys } from "./fingerprint.js";
import { KnownConversation } from "./known.js";
import { ParkingLot } from "./parking.js";
import { randomIds } from "./positions.js";

const long = Array.from({ length: 100 }, (_, at) => [user(`${at}?`), assistant(`${at}!`)]).flat();

describe("an unknown long conversation", () => {
  const lookUp = (isBegun: boolean) => {
    const store = createMemoryStore({ now: () => 0 });
    let reads = 0;
    const counting = {
      get(owner: string, name: string) {
        reads++;
        return store.get(owner, name);
      },
      has(owner: string, name: string) {
        reads++;
        return store.has(owner, name);
      },
    };
    if (isBegun) keepCheckpoint(store, "of another", { firstKey: transcriptKeys(long)[1] });
    const lot = new ParkingLot(new ManualClock(), { leaseMs: 1_000, maxParkedRuns: 1 });
    const whose = { owner: "me", backend: "agent" as const, can: { takesNewSettings: true } };
    const known = new KnownConversation(userTurn("", { messages: long }), whose, {
      store: counting,
      lot,
      newIds: randomIds,
    });
    expect(known.search).toEqual({ found: undefined, hasAny: false });
    expect(known.foundUnderOtherSettings).toBeUndefined();
    expect([known.hasEmptyReply, known.seenUnder]).toEqual([false, undefined]);
    lot.close();
    return reads;
  };

  it("needs one read", () => {
    expect(lookUp(false)).toBe(1);
  });

  it("needs at most two reads per message when another has the same beginning", () => {
    const reads = lookUp(true);
    expect(reads).toBeGreaterThan(100);
    expect(reads).toBeLessThanOrEqual(2 * long.length + 1);
  });
});
