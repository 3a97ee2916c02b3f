import { type ClientHttp2Stream, constants } from "node:http2";
import { describe, expect, it, vi } from "vitest";
import { untilAtRest } from "../../../../testing/at-rest.js";
import { ManualClock } from "../../../../testing/manual-clock.js";
import { AgentClient, startRun, updateOf, userRun } from "../../../../testing/simulator/agent-client.js";
import { startStand } from "../../../../testing/simulator/stand.js";
import { startedEach } from "../../../../testing/started.js";

const clock = startedEach(() => new ManualClock());
const stand = startedEach(() => startStand({}, clock));

const transports = ["h2", "h1"] as const;

describe.each(transports)("a run over %s", (transport) => {
  it("plays a directive and ends in order", async () => {
    const client = startRun(stand, "[[think hm, well]] [[say hello big world]]", {}, { transport });
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
    expect(stand.world.stats).toMatchObject({ runs: 1, runsOpen: 0, conversations: 1, cancelled: 0, execsAnswered: 1 });
  });

  it("sends heartbeats at once and then at intervals, also while it waits for the client", async () => {
    const client = startRun(stand, "hi", {}, { transport, silent: ["context"] });
    const { id } = await client.untilExec("requestContextArgs");
    const beats = () => client.messages.filter((message) => updateOf(message, "heartbeat")).length;
    expect(beats()).toBe(1);
    for (let expected = 2; expected <= 5; expected += 1) {
      clock.advance(5_000);
      await client.until(() => (beats() >= expected ? true : undefined), expected - 1);
    }
    expect(client.messages).toHaveLength(6);
    client.answerExec(id, { case: "requestContextResult", value: {} });
    await client.ended;
  });

  it("requests the context as often as [[flood]] says, without counting these requests", async () => {
    const client = startRun(stand, "[[flood 20]] [[say done]]", {}, { transport });
    await client.until(() => (client.text === "done" ? true : undefined));
    const asked = client.messages.filter(({ message }) => message.case === "execServerMessage");
    expect(asked).toHaveLength(21);
    expect(stand.world.stats).toMatchObject({ execsAsked: 1 });
  });

  it("skips heartbeats for a slow reader", async () => {
    const client = startRun(stand, "[[stream 1000000]]", {}, { transport });
    await client.untilUpdate("textDelta");
    client.pause();
    await untilAtRest(() => stand.world.stats.bytesOut);
    const before = stand.world.stats.bytesOut;
    clock.advance(60_000);
    expect(stand.world.stats.bytesOut).toBe(before);
    client.reset();
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

  it("can break off without an end frame, after its text", async () => {
    const client = startRun(stand, "[[say some words]] [[drop]]", {}, { transport });
    const { frame } = await client.ended;
    expect(frame).toBeUndefined();
    expect(client.text).toBe("some words");
    expect(stand.world.stats).toMatchObject({ runsOpen: 0, cancelled: 0 });
  });

  it.runIf(transport === "h2")("is reset without ending the stream first", async () => {
    const opened = vi.spyOn(stand.http2, "request");
    const client = new AgentClient(stand, { transport });
    const stream = opened.mock.results[0]?.value as ClientHttp2Stream;
    let hasEnded = false;
    stream.once("end", () => {
      hasEnded = true;
    });
    client.send(userRun("[[say some words]] [[drop]]"));
    await client.ended;
    expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
    expect(hasEnded).toBe(false);
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
  it("leaves no timer behind, however it ends", async () => {
    for (const text of ["[[exec 99]] [[say x]]", "[[say x]] [[fail internal]]", "[[say x]] [[drop]]"]) {
      const client = startRun(stand, text);
      await client.ended;
      expect(clock.sleeping).toBe(0);
    }
    const client = startRun(stand, "[[exec 99]]", {}, { silent: ["exec"] });
    await client.untilExec(undefined);
    expect(clock.sleeping).toBe(2); // the next heartbeat, and the time limit of the question
    client.reset();
    await expect.poll(() => clock.sleeping).toBe(0);
  });

  it("ends as cancelled on a cancel action, and ignores other actions", async () => {
    const client = startRun(stand, "[[say start]] [[wait 60000]]");
    await client.untilUpdate("textDelta");
    client.send({
      case: "conversationAction",
      value: { action: { case: "userMessageAction", value: { userMessage: { text: "more" } } } },
    });
    client.send({ case: "clientHeartbeat", value: {} });
    await expect.poll(() => stand.world.stats.heartbeatsIn).toBe(1);
    expect(stand.world.stats).toMatchObject({ cancelled: 0, runsOpen: 1 });
    client.send({
      case: "conversationAction",
      value: { action: { case: "cancelAction", value: { reason: "enough" } } },
    });
    expect((await client.ended).frame?.error?.code).toBe("canceled");
    expect(stand.world.stats).toMatchObject({ cancelled: 1, runsOpen: 0 });
  });

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

  it("ends when the simulator closes", async () => {
    const client = startRun(stand, "[[say start]] [[wait 60000]]");
    await client.untilUpdate("textDelta");
    stand.closeAgent();
    expect((await client.ended).frame?.error?.code).toBe("unavailable");
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
