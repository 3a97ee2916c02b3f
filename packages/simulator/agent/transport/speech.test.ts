import { describe, expect, it } from "vitest";
import { untilAtRest } from "../../../../testing/at-rest.js";
import { startRun } from "../../../../testing/simulator/agent-client.js";
import { startStand } from "../../../../testing/simulator/stand.js";
import { startedEach } from "../../../../testing/started.js";

const stand = startedEach(() => startStand());

describe("a long answer", () => {
  it.each([{ gzip: true }, { drift: true }, { gzip: true, drift: true }, { messageTimes: true, drift: true }])(
    "arrives whole with %j",
    async (options) => {
      Object.assign(stand.world.options, options);
      const client = startRun(stand, "[[think a b]] [[stream 2000]]");
      expect((await client.ended).frame).toEqual({});
      expect(client.thinking).toBe("a b");
      expect(client.text).toHaveLength(Array.from({ length: 2000 }, (_, index) => `${index + 1} `).join("").length);
      expect(client.messages.some(({ $unknown }) => $unknown !== undefined)).toBe("drift" in options);
    },
  );

  it("has the time at which its run began beside every update", async () => {
    stand.world.options.messageTimes = true;
    const client = startRun(stand, "[[think a b]] [[stream 200]]");
    await client.ended;
    const updates = client.messages.flatMap(({ message }) =>
      message.case === "interactionUpdate" ? [message.value] : [],
    );
    expect(updates.map((update) => update.message.case)).toEqual(
      expect.arrayContaining(["heartbeat", "stepStarted", "thinkingDelta", "textDelta", "tokenDelta", "turnEnded"]),
    );
    const [time, ...others] = new Set(updates.map(({ messageStartedAtMs }) => messageStartedAtMs));
    expect([typeof time, others]).toEqual(["bigint", []]);
  });

  // How far a paused reader may lag behind: over HTTP/2 the window and a batch or two, over HTTP/1.1 the kernel's buffers as well.
  it.each([
    ["h2", 160 * 1024],
    ["h1", 16 * 1024 * 1024],
  ] as const)(
    "never runs far ahead of its reader over %s, and continues when it reads again",
    async (transport, most) => {
      const client = startRun(stand, "[[stream 3000000]]", {}, { transport });
      await client.untilUpdate("textDelta");
      client.pause();
      const { stats } = stand.world;
      await untilAtRest(() => stats.bytesOut);
      const sent = stats.bytesOut;
      expect(sent - client.bytesRead).toBeLessThan(most);
      client.resume();
      await expect.poll(() => stats.bytesOut).toBeGreaterThan(sent);
      client.reset();
      await expect.poll(() => stats).toMatchObject({ runsOpen: 0, cancelled: 1 });
    },
  );
});
