import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { AgentClient, startRun, updateOf } from "../../../../testing/simulator/agent-client.js";
import { startStand } from "../../../../testing/simulator/stand.js";
import { startedEach } from "../../../../testing/started.js";

const clock = startedEach(() => new ManualClock());
const stand = startedEach(() => startStand({}, clock));

const transports = ["h2", "h1"] as const;

describe.each(transports)("a run over %s", (transport) => {
  it("requests the context as often as [[flood]] says, without counting these requests", async () => {
    const client = startRun(stand, "[[flood 20]] [[say done]]", {}, { transport });
    await client.until(() => (client.text === "done" ? true : undefined));
    const asked = client.messages.filter(({ message }) => message.case === "execServerMessage");
    expect(asked).toHaveLength(21);
    expect(stand.world.stats).toMatchObject({ execsAsked: 1 });
  });

  it("times out without an answer that it needs", async () => {
    const client = startRun(stand, "hi", {}, { transport, silent: ["context"] });
    await client.untilExec("requestContextArgs");
    clock.advance(59_999);
    client.send({ case: "clientHeartbeat", value: {} });
    await expect.poll(() => stand.world.stats.heartbeatsIn).toBe(1);
    clock.advance(1);
    const { frame } = await client.ended;
    expect(frame?.error).toMatchObject({
      code: "deadline_exceeded",
      message: expect.stringContaining("requestContext"),
    });
    expect(stand.world.stats).toMatchObject({ execsAsked: 1, execsAnswered: 0, execsAbandoned: 1, runsOpen: 0 });
  });

  it("refuses an invalid token before the stream begins", async () => {
    for (const authorization of ["Bearer other", ""]) {
      const client = new AgentClient(stand, { transport, headers: { authorization } });
      const { status, body } = await client.ended;
      expect(status).toBe(401);
      expect(JSON.parse(body)).toMatchObject({
        code: "unauthenticated",
        message: "Error",
        details: [{ type: "aiserver.v1.ErrorDetails", debug: { error: "ERROR_NOT_LOGGED_IN" } }],
      });
    }
    expect(stand.world.stats.runs).toBe(0);
  });
});

describe("a live run", () => {
  it("is silent for bootstrapMs, and for deltaMs between deltas", async () => {
    Object.assign(stand.world.options, { bootstrapMs: 3_000, deltaMs: 200 });
    const client = startRun(stand, "[[say one two three]]");
    await expect.poll(() => stand.world.stats.conversations).toBe(1);
    clock.advance(2_999);
    expect(client.messages).toEqual([]);
    clock.advance(1);
    const texts = () => client.messages.flatMap((message) => updateOf(message, "textDelta")?.text ?? []);
    await client.until(() => (texts().length === 1 ? true : undefined));
    clock.advance(199);
    clock.advance(1);
    await client.until(() => (texts().length === 2 ? true : undefined));
    stand.world.options.deltaMs = 0;
    clock.advance(200);
    await client.ended;
    expect(texts()).toEqual(["one ", "two ", "three"]);
  });

  it("is in the journal, with long texts cut and without heartbeats", async () => {
    const client = startRun(stand, `[[say x]] ${"long ".repeat(10_000)}`);
    client.send({ case: "clientHeartbeat", value: {} });
    await client.ended;
    const [entry] = stand.journal;
    expect(entry).toMatchObject({ path: "/agent.v1.AgentService/Run", httpVersion: "2.0" });
    expect(entry?.headers["x-request-id"]).toBe(client.requestId);
    const shown = (entry?.messages ?? []).map((message) => (typeof message === "function" ? message() : message));
    const json = JSON.stringify(shown);
    expect(json).toContain('"conversationId":"agent-1"');
    expect(json).toContain("requestContextResult");
    expect(json).toContain("characters)");
    expect(json.length).toBeLessThan(20_000);
    expect(json).not.toContain("clientHeartbeat");
    expect(stand.world.stats.heartbeatsIn).toBe(1);
  });
});
