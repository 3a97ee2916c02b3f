import { describe, expect, it } from "vitest";
import { type ScriptStep, scriptedBackend, userTurn } from "../../../testing/backends/scripted/index.js";
import { makeGateway } from "../../../testing/gateway/make-gateway.js";
import {
  assistant,
  called,
  callOf,
  results,
  runContext,
  settled,
  stopped,
  text,
  thinking,
  tool,
  user,
} from "../../../testing/samples/sample-turns.js";
import { sampleUsage } from "../../../testing/samples/sample-usage.js";
import { createMemoryStore } from "../store/index.js";
import { joinText } from "../turn/blocks.js";
import { collect } from "../turn/collect.js";
import { addUsage, type Batch, type TurnEvent, type Usage } from "../turn/event.js";
import { RequestRecord } from "../turn/events/channels.js";
import type { AssistantMessage, SentTurn, Turn } from "../turn/turn.js";

const never = { waitFor: () => new Promise<never>(() => {}) };
const measured: Usage = { ...sampleUsage, outputTokens: 50, reasoningTokens: 20 };
const tools = [tool("read")];
const call = (id: string, input?: string) => callOf(id, "read", input);

const calling = (said: string, id: string, input: string): AssistantMessage => ({
  role: "assistant",
  content: [
    { type: "text", text: said },
    { type: "call", id, name: "read", input },
  ],
});

/** Each run plays the next of the scripts. */
function setUp(...scripts: Iterable<ScriptStep>[]) {
  const sent: string[] = [];
  const record = new RequestRecord("g", "r", 0);
  const steps = (turn: SentTurn) => {
    const newest = turn.messages.at(-1);
    sent.push(newest?.role === "user" ? joinText(newest.content) : "");
    return scripts[sent.length - 1] ?? [];
  };
  const backend = scriptedBackend({ steps });
  const gateway = makeGateway(backend);
  const client = new AbortController();
  const start = (options: Partial<Turn> = {}) =>
    gateway.run(userTurn("hi", options), { record, signal: client.signal });
  const run = async (options: Partial<Turn> = {}) => {
    const events: TurnEvent[] = [];
    for await (const batch of (await start(options)).events) events.push(...batch);
    return events;
  };
  return { backend, gateway, client, sent, record, start, run };
}

describe("the last checkpoint of a turn, which comes before its finish", () => {
  const last: TurnEvent = { ...settled, isLast: true };

  /** The number of checkpoints stored before the finish, and at the end. */
  async function stored(said: Batch, options: Partial<Turn> = {}) {
    const store = createMemoryStore({ now: Date.now });
    const counts: number[] = [];
    const rows = () => {
      while (!store.sweep(Date.now()).isDone);
      return store.stats()?.rows ?? 0;
    };
    const count = { waitFor: async () => counts.push(rows()) };
    const gateway = makeGateway(scriptedBackend({ steps: () => [said, [last], count, [stopped]] }), { store });
    await collect((await gateway.run(userTurn("hi", options), runContext())).events).catch(() => {});
    return [counts[0], rows()];
  }

  it.each<[string, Batch, Partial<Turn>]>([
    ["when the client has all the text", [text("one")], {}],
    ["when limits are set but not reached", [text("one")], { maxTokens: 100, stop: ["STOP"] }],
    ["when the model thought before", [thinking("hm"), text("one")], {}],
  ])("is stored at once %s", async (_, said, options) => {
    expect(await stored(said, options)).toEqual([1, 1]);
  });

  const format: Turn["format"] = { type: "json" };
  const required = { tools, toolChoice: { type: "required" as const } };
  it.each<[string, Batch, Partial<Turn>, number]>([
    ["while text is held back that may be a call", [text('one\n<tool_call>{"name":"re')], { tools }, 1],
    ["while text is held back that may be a stop sequence", [text("one ST")], { stop: ["STOP"] }, 1],
    ["of an empty reply", [thinking("hm")], {}, 1],
    ["of an answer whose format must be checked", [text("{}")], { format }, 1],
    ["of an answer without the call that was required", [text("one")], required, 0],
  ])("is not stored before the finish %s", async (_, said, options, inTheEnd) => {
    expect(await stored(said, options)).toEqual([0, inTheEnd]);
  });

  it("is found by the next turn if the client got the whole text and left before the finish", async () => {
    const { backend, gateway, client, start } = setUp([[text("one")], [last], never], [[text("next"), stopped]]);
    const events = (await start()).events[Symbol.asyncIterator]();
    expect((await events.next()).value).toEqual([text("one")]);
    const rest = events.next();
    await expect.poll(() => backend.exchanges[0]?.pulls).toBe(2);
    client.abort();
    await expect(rest).rejects.toMatchObject({ code: "canceled" });
    const messages = [user("hi"), assistant("one"), user("more")];
    expect(await gateway.run(userTurn("", { messages }), runContext())).toMatchObject({ continuity: "warm" });
    expect(backend.exchanges[1]).toMatchObject({ context: { state: Buffer.of(1) } });
    gateway.close();
  });
});

describe("a reply that reaches a limit", () => {
  it("ends at once: the run is closed, and its usage is estimated and recorded", async () => {
    const { backend, gateway, record, run } = setUp([[text("one STOP two")], never]);
    const events = await run({ stop: ["STOP"] });
    expect(events).toMatchObject([
      text("one "),
      { type: "usage", usage: { estimated: true, outputTokens: 3 } },
      { ...stopped, stopSequence: "STOP" },
    ]);
    expect(backend.exchanges[0]?.closedWith).toBe("limit-reached");
    expect(record.turnUsage).toMatchObject({ estimated: true, outputTokens: 3 });
    expect(gateway.parkedRuns).toBe(0);
  });

  it("reports at most the requested tokens, and records Cursor's count once", async () => {
    const counted: TurnEvent = { type: "usage", usage: measured, turn: measured };
    const { record, run } = setUp([[text("0123456789"), settled, counted, stopped]]);
    expect(await run({ maxTokens: 1 })).toEqual([
      text("01234"),
      { type: "usage", usage: { ...measured, outputTokens: 1, reasoningTokens: 1 }, turn: measured },
      { type: "finish", reason: "length" },
    ]);
    expect(record.turnUsage).toEqual(measured);
  });

  it("leaves no checkpoint, because none covers exactly what the client was sent", async () => {
    const { backend, gateway, run } = setUp([[text("one STOP two"), settled, stopped]], [[text("next"), stopped]]);
    await run({ stop: ["STOP"] });
    const messages = [user("hi"), assistant("one "), user("more")];
    expect(await run({ messages })).toEqual([text("next"), stopped]);
    expect(backend.exchanges[1]).toMatchObject({ turn: { messages }, context: { state: undefined } });
    gateway.close();
  });

  it("before a call in the same batch does not send the call, and does not park", async () => {
    const { backend, gateway, run } = setUp([[text("one STOP two"), ...call("1"), called]]);
    const events = await run({ stop: ["STOP"] });
    expect(events.map(({ type }) => type)).toEqual(["text", "usage", "finish"]);
    expect([gateway.parkedRuns, backend.exchanges[0]?.closedWith]).toEqual([0, "limit-reached"]);
  });

  it("in a call ends after it, and the run stays parked with the unsent calls", async () => {
    const long = `{"text":"${"x".repeat(20)}"}`;
    const { backend, gateway, run } = setUp([
      [text("hm"), ...call("1", long), ...call("2")],
      [called],
      [text("done"), stopped],
    ]);
    const first = await run({ maxTokens: 2 });
    expect(first).toEqual([text("hm"), ...call("1", long), called]);
    expect(gateway.parkedRuns).toBe(1);
    const second = await run({ maxTokens: 2, messages: [user("hi"), calling("hm", "1", long), results("1")] });
    expect(second.filter(({ type }) => type === "call")).toEqual([call("2")[0]]);
    expect(backend.exchanges).toHaveLength(1);
    gateway.close();
  });

  describe("and requires a call", () => {
    it.each<Turn["toolChoice"]>([{ type: "required" }, { type: "tool", name: "read" }])(
      "continues after a stop sequence, without text, to the call: $type",
      async (toolChoice) => {
        const { backend, gateway, sent, run } = setUp([
          [text("one ST")],
          [text("OP two")],
          [text(" three"), ...call("1"), called],
        ]);
        expect(await run({ stop: ["STOP"], tools, toolChoice })).toEqual([text("one "), ...call("1"), called]);
        expect([sent.length, gateway.parkedRuns, backend.exchanges[0]?.closedWith]).toEqual([1, 1, undefined]);
        gateway.close();
      },
    );

    it("gets a reminder if it only talks", async () => {
      const talks: Batch = [text("one STOP two"), settled, stopped];
      const { sent, gateway, run } = setUp([talks], [[text("Sorry."), ...call("1"), called]]);
      const events = await run({ stop: ["STOP"], tools, toolChoice: { type: "required" } });
      expect([sent[1], events]).toEqual([expect.stringContaining("required"), [text("one "), ...call("1"), called]]);
      gateway.close();
    });

    it("still ends at its length limit", async () => {
      const { sent, run } = setUp([[text("0123456789"), settled, stopped]]);
      const events = await run({ maxTokens: 1, stop: ["STOP"], tools, toolChoice: { type: "required" } });
      expect(events.at(-1)).toEqual({ type: "finish", reason: "length" });
      expect(sent).toHaveLength(1);
    });
  });
});

describe("a reply in a format", () => {
  const format = { type: "json" } as const;
  const instruction = /^hi\n\nYour final answer must be one JSON object and nothing else/;
  const bad: Batch[] = [[text('{"a":')], [settled, stopped]];
  const good: Batch[] = [[thinking("hm")], [text('Here: {"a":1}')], [settled, stopped]];

  it("is requested in the user's message, and sent once it fits", async () => {
    const { sent, run } = setUp(good);
    expect(await run({ format })).toEqual([thinking("hm"), text('{"a":1}'), stopped]);
    expect(sent).toEqual([expect.stringMatching(instruction)]);
  });

  it("is requested once more from the checkpoint, with the fault, if it does not fit", async () => {
    const { backend, sent, run } = setUp(bad, good);
    expect(await run({ format })).toEqual([thinking("hm"), text('{"a":1}'), stopped]);
    expect(sent[1]).toMatch(/^Your last answer cannot be used: the JSON that begins at character 1 is not complete\./);
    expect(sent[1]).toContain("one JSON object and nothing else");
    expect(backend.exchanges[1]).toMatchObject({
      turn: { messages: [{ role: "user" }] },
      context: { state: Buffer.of(1) },
    });
  });

  it("fails at once without a checkpoint, or if a stop sequence cut it", async () => {
    await expect(setUp([[text("no"), stopped]], good).start({ format })).rejects.toMatchObject({
      code: "format_not_met",
    });
    const broken = setUp([[text('{"a":1 STOP }'), settled, stopped]], good);
    await expect(broken.start({ format, stop: ["STOP"] })).rejects.toMatchObject({ code: "format_not_met" });
    expect([broken.sent.length, broken.record.turnUsage?.estimated]).toEqual([1, true]);
  });

  it("is sent as it is when cut at its length, also the second time", async () => {
    const { run } = setUp([[text("0123456"), settled, stopped]], [[text('{"a":12345678901234567890}'), stopped]]);
    const events = await run({ format, maxTokens: 2 });
    expect(events).toMatchObject([text('{"a":12345'), { type: "usage" }, { type: "finish", reason: "length" }]);
  });

  it("is not checked when it ends in calls, but after their results", async () => {
    const { gateway, sent, run } = setUp(
      [
        [text("Let me see."), ...call("1"), called],
        [text("It is fine."), settled, stopped],
      ],
      good,
    );
    expect(await run({ format })).toEqual([text("Let me see."), ...call("1"), called]);
    const messages = [user("hi"), calling("Let me see.", "1", "{}"), results("1")];
    expect(sent).toHaveLength(1);
    expect(await run({ format, messages })).toContainEqual(text('{"a":1}'));
    expect(sent).toHaveLength(2);
    const cold = setUp(good);
    await cold.run({ format, messages, tools, toolChoice: { type: "required" } });
    const [knownReminders] = cold.backend.exchanges[0]?.turn.messages ?? [];
    expect(knownReminders?.role === "user" && joinText(knownReminders.content)).toMatch(instruction);
    gateway.close();
  });

  it("fails if the gateway closes while the second run starts", async () => {
    const second = {
      [Symbol.iterator]() {
        gateway.close();
        return [never][Symbol.iterator]();
      },
    };
    const { backend, gateway, start } = setUp(bad, second);
    await expect(start({ format })).rejects.toMatchObject({ code: "shutting_down" });
    expect(backend.exchanges[1]?.closedWith).toBe("shutdown");
  });

  it.each(["during the second answer", "while the second run starts"])(
    "closes its run if the client leaves %s",
    async (when) => {
      const isLate = when === "during the second answer";
      const second = {
        [Symbol.iterator]() {
          if (!isLate) client.abort();
          return [never][Symbol.iterator]();
        },
      };
      const { backend, client, start } = setUp(bad, second);
      const reply = start({ format });
      reply.catch(() => {});
      await expect.poll(() => backend.exchanges.length).toBe(2);
      client.abort();
      await expect(reply).rejects.toMatchObject({ code: "canceled" });
      expect(backend.exchanges[1]?.closedWith).toBe("client-left");
    },
  );
});

describe("a run that was started with only results and answers nothing", () => {
  const messages = [user("hi"), assistant("", "one"), results("one")];
  const counted: TurnEvent = { type: "usage", usage: measured, turn: measured };
  const empty: ScriptStep[] = [[thinking("hm"), settled, counted, stopped]];
  const setUpAgent = (...scripts: Iterable<ScriptStep>[]) => {
    const given = setUp(...scripts);
    Object.assign(given.backend.can, { startsWithoutWords: true });
    return given;
  };

  it("is followed by one with words, and both are counted", async () => {
    const { sent, record, run } = setUpAgent(empty, [[text("done"), settled, counted, stopped]]);
    const twice = addUsage(measured, measured);
    expect(await run({ messages })).toEqual([
      thinking("hm"),
      text("done"),
      { type: "usage", usage: measured, turn: twice },
      stopped,
    ]);
    expect(sent).toEqual(["", "The results of your tool calls are above. Go on from there."]);
    expect(record.turnUsage).toEqual(twice);
  });

  it("is the answer on a backend that always gets words", async () => {
    const { sent, run } = setUp(empty);
    expect((await run({ messages })).at(-1)).toEqual(stopped);
    expect(sent).toHaveLength(1);
  });
});

it("starts cold if a resumed model says nothing and does not call a new tool", async () => {
  const { backend, start, run } = setUp(
    [[text("b"), settled, stopped]],
    [[settled, stopped]],
    [[...call("1"), called]],
  );
  Object.assign(backend.can, { takesNewSettings: true });
  await run();
  const messages = [user("hi"), assistant("b"), user("more")];
  const reply = await start({ messages, tools, toolChoice: { type: "tool", name: "read" } });
  expect(reply.continuity).toBe("cold:settings-changed");
  const [first, resumed, anew] = backend.exchanges.map(({ turn, context }) => ({
    conversation: context.conversationId,
    hasState: context.state !== undefined,
    messages: turn.messages.length,
  }));
  expect(resumed).toEqual({ conversation: first?.conversation, hasState: true, messages: 1 });
  expect(anew).toMatchObject({ hasState: false, messages: 3 });
  expect(anew?.conversation).not.toBe(first?.conversation);
});
