import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RawClient, userRun } from "./raw-client.js";
import { type Stand, startStand } from "./stand.js";

let stand: Stand;
beforeEach(async () => {
  stand = await startStand();
});
afterEach(() => stand.close());

describe.each(["h2", "h1"] as const)("a run over %s", (transport) => {
  it("says what it is told to and ends in order", async () => {
    const client = new RawClient(stand, { transport });
    client.send(userRun("[[think hm, well]] [[say hello big world]]"));
    const { frame } = await client.ended;
    expect(client.outline).toEqual([
      "execServerMessage",
      ...Array(4).fill("kvServerMessage"),
      "stepStarted",
      ...Array(2).fill("thinkingDelta"),
      "tokenDelta",
      "thinkingCompleted",
      "kvServerMessage",
      "conversationCheckpointUpdate",
      ...Array(3).fill("textDelta"),
      "tokenDelta",
      "stepCompleted",
      ...Array(4).fill("kvServerMessage"),
      "turnEnded",
      ...Array(3).fill("conversationCheckpointUpdate"),
    ]);
    expect(frame).toEqual({});
    expect(client.text).toBe("hello big world");
    expect(client.thinking).toBe("hm, well");
  });
});
