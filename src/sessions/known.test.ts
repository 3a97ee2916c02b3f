import { describe, expect, it } from "vitest";
import { userTurn } from "../../testing/backends/scripted/index.js";
import { ManualClock } from "../../testing/manual-clock.js";
import { assistant, user } from "../../testing/samples/sample-turns.js";
import { createMemoryStore } from "../store/index.js";
import { KnownConversation } from "./known.js";
import { ParkingLot } from "./parking.js";

const long = Array.from({ length: 100 }, (_, at) => [user(`${at}?`), assistant(`${at}!`)]).flat();

describe("a long conversation that is not known", () => {
  it("is looked up by two reads for each message at most", () => {
    const store = createMemoryStore({ now: () => 0 });
    let reads = 0;
    const counting = {
      getCheckpoint: (owner: string, key: string) => {
        reads++;
        return store.getCheckpoint(owner, key);
      },
      getNote: (owner: string, key: string) => {
        reads++;
        return store.getNote(owner, key);
      },
    };
    const lot = new ParkingLot(new ManualClock(), { leaseMs: 1_000, maxParkedRuns: 1 });
    const whose = { owner: "me", backend: "agent" as const, can: { takesNewSettings: true } };
    const known = new KnownConversation(userTurn("", { messages: long }), whose, counting, lot);
    expect(known.search).toEqual({ found: undefined, hasAny: false });
    expect(known.foundUnderOtherSettings).toBeUndefined();
    expect([known.hasEmptyReply, known.wasSeen, known.seenUnder]).toEqual([false, false, undefined]);
    expect(reads).toBeLessThanOrEqual(2 * long.length);
  });
});
