import { describe, expect, it } from "vitest";
import { MAX_CALLS_TOGETHER } from "../../../turn/request-limits.js";
import type { StartContext } from "../../backend.js";
import { repliesWith } from "../../exchange/replies.cases.js";
import { ClientCalls, PendingCalls } from "./client-calls.js";

const text = (value: string, callId: string) => ({
  callId,
  content: [{ type: "text" as const, text: value }],
  isError: false,
});

function setUp(record: StartContext["record"] = []) {
  let made = 0;
  const replies = repliesWith();
  const { batch } = replies;
  /** The calls that were answered from known results, and the exec that asked for each. */
  const known: string[] = [];
  const calls = new ClientCalls({
    newCallId: () => `call_${++made}`,
    record,
    fingerprint: (name, input) => `${name} ${input}`,
  });
  let execs = 0;
  const ask = (upstreamId: string, name: string, input: string) => {
    const execId = ++execs;
    const result = calls.ask({ execId, upstreamId, name, input, askedMs: 0 }, replies);
    const [block] = result?.content ?? [];
    if (block?.type === "text") known.push(`${execId} ${block.text}`);
  };
  const sent = () => batch.flatMap((event) => (event.type === "call" ? [`${event.id} ${event.name}`] : []));
  return { calls, replies, batch, known, ask, sent };
}

describe("a call whose stream broke off", () => {
  it("stays open: a result that comes between two streams is sent when the next one asks", () => {
    const { calls, known, ask, sent } = setUp();
    ask("up-1", "weather", "{}");
    calls.onNewStream();
    expect(calls.open).toMatchObject([{ id: "call_1" }]);
    expect(calls.asked.size).toBe(0);
    expect(calls.answer(text("rain", "call_1"))).toBeUndefined();
    expect(calls.open).toEqual([]);
    ask("up-1", "weather", "{}");
    expect(known).toEqual(["2 rain"]);
    expect(sent()).toEqual(["call_1 weather"]);
  });

  it("is not sent again when the next stream repeats it, under any id", () => {
    for (const id of ["up-1", "up-2"]) {
      const { calls, replies, batch, ask } = setUp();
      ask("up-1", "weather", '{"a":1}');
      calls.onNewStream();
      const before = batch.length;
      calls.write(id, "weather", '{"a"', replies);
      calls.write(id, "weather", '{"a":1}', replies);
      ask(id, "weather", '{"a":1}');
      expect(batch).toHaveLength(before);
      expect(calls.open).toMatchObject([{ id: "call_1" }]);
      expect([...calls.asked]).toMatchObject([{ asked: { execId: 2 } }]);
    }
  });
});

describe("a result", () => {
  it("goes to the request that waits for it on the current stream, once, and nowhere if no such call is open", () => {
    const { calls, ask } = setUp();
    ask("up-1", "weather", "{}");
    expect(calls.answer(text("rain", "no such call"))).toBeUndefined();
    expect(calls.answer(text("rain", "call_1"))).toMatchObject({ execId: 1, name: "weather" });
    expect(calls.answer(text("rain", "call_1"))).toBeUndefined();
    expect([calls.open, calls.asked.size]).toEqual([[], 0]);
  });
});

describe("a group of parallel calls", () => {
  it("is complete when as many were asked for as were announced and as a staged checkpoint names", () => {
    const { calls, ask } = setUp();
    calls.announce();
    calls.announce();
    ask("up-1", "weather", "{}");
    calls.settle(["up-1"]);
    expect(calls.isGroupComplete).toBe(false);
    ask("up-2", "weather", "{}");
    expect(calls.isGroupComplete).toBe(true);
    calls.settle(["up-1", "up-2", "up-3"]);
    expect(calls.isGroupComplete).toBe(false);
    ask("up-3", "weather", "{}");
    expect(calls.isGroupComplete).toBe(true);
  });

  it("is not complete without a staged checkpoint, and ends with a pause or its stream", () => {
    for (const end of ["onPause", "onNewStream", "closeGroup"] as const) {
      const { calls, ask } = setUp();
      ask("up-1", "weather", "{}");
      calls.settle([]);
      expect(calls.isGroupComplete).toBe(false);
      calls.settle(["up-1"]);
      expect(calls.isGroupComplete).toBe(true);
      calls[end]();
      expect(calls.isGroupComplete).toBe(false);
    }
  });
});

describe("calls that a checkpoint", () => {
  it("waits for may be asked for again from there, even if they were answered since", () => {
    const { calls, ask } = setUp();
    for (const id of ["up\n1", "up-2", "up-3"]) ask(id, "weather", `{"of":"${id}"}`);
    calls.answer(text("rain", "call_1"));
    calls.answer(text("sun", "call_2"));
    calls.settle([JSON.stringify({ toolCallId: "up\n1" }), JSON.stringify({ toolCallId: "up-3" })]);
    expect(calls.unsettled).toMatchObject([{ id: "call_1", upstreamId: "up\n1" }, { id: "call_3" }]);
    calls.settle([]);
    expect(calls.unsettled).toMatchObject([{ id: "call_3" }]);
  });
});

describe("a call that is sent in part", () => {
  it("waits for its other half only if a checkpoint knows of it", () => {
    const { calls, replies, batch, ask } = setUp();
    calls.write("up-1", "weather", '{"a"', replies);
    expect(calls.hasUnresumableCall).toBe(true);
    calls.settle(['{"toolCallId":"up-1"}']);
    expect(calls.hasUnresumableCall).toBe(false);
    calls.onNewStream();
    calls.write("up-1", "weather", '{"a', replies);
    ask("up-1", "weather", '{"a":1}');
    expect(replies.callsSent).toBe(1);
    expect(batch.flatMap((event) => (event.type === "call-input" ? [event.delta] : []))).toEqual(['{"a"', ":1}"]);
  });
});

describe("a call that the transcript holds", () => {
  const recorded = { id: "call_old", upstreamId: "up-1", name: "weather", input: '{"a":1}', round: 0, isSettled: true };

  it("is answered from it, and its repeated text is not sent", () => {
    for (const id of ["up-1", "up-2"]) {
      const { calls, batch, replies, known, ask } = setUp([{ ...recorded, result: text("rain", "call_old") }]);
      calls.onNewStream();
      calls.write(id, "weather", '{"a"', replies);
      ask(id, "weather", '{"a":1}');
      expect(batch).toEqual([]);
      expect(calls.hasUnresumableCall).toBe(false);
      expect(known).toEqual(["1 rain"]);
    }
  });

  it("without a result is sent again under its own id", () => {
    const { calls, ask, sent } = setUp([{ ...recorded, result: undefined, isSettled: false }]);
    calls.onNewStream();
    ask("up-1", "weather", '{"a":1}');
    expect(sent()).toEqual(["call_old weather"]);
    expect(calls.open).toMatchObject([{ id: "call_old" }]);
  });

  it("is not mistaken for another one of the same tool", () => {
    const { calls, replies, batch, ask, sent } = setUp([{ ...recorded, result: text("rain", "call_old") }]);
    calls.onNewStream();
    calls.write("up-2", "weather", '{"a"', replies);
    ask("up-2", "weather", '{"a":2}');
    expect(sent()).toEqual(["call_1 weather"]);
    expect(batch).toContainEqual({ type: "call-input", id: "call_1", delta: '{"a":2}' });
  });

  it("is replayed round by round to a server that repeats the turn", () => {
    const record = [
      { ...recorded, result: text("1", "call_old") },
      { ...recorded, id: "b", upstreamId: "up-b", name: "edit", result: text("2", "b") },
      { ...recorded, id: "c", upstreamId: "up-c", round: 2, result: text("3", "c") },
    ];
    const { calls, batch, known, ask } = setUp(record);
    calls.onNewStream();
    ask("new-1", "edit", '{"a":1}');
    ask("new-2", "weather", '{"a":1}');
    ask("new-3", "weather", '{"a":1}');
    expect(known).toEqual(["1 2", "2 1", "3 3"]);
    expect(batch).toEqual([]);
  });

  it("is answered from it when the server resumes from a checkpoint that still waits for it", () => {
    const record = [
      { ...recorded, id: "b", upstreamId: "up-b", name: "edit", result: text("2", "b") },
      { ...recorded, round: 2, result: text("1", "call_old"), isSettled: false },
    ];
    const { calls, batch, known, ask } = setUp(record);
    calls.onNewStream();
    ask("new-1", "weather", '{"a":1}');
    expect(known).toEqual(["1 1"]);
    expect(batch).toEqual([]);
  });

  it("is made anew when the server asks for the same again after a later round", () => {
    const record = [
      { ...recorded, result: text("1", "call_old") },
      { ...recorded, id: "b", upstreamId: "up-b", name: "edit", round: 2, result: text("2", "b") },
    ];
    const { calls, known, ask, sent } = setUp(record);
    calls.onNewStream();
    ask("up-b", "edit", '{"a":1}');
    ask("new-1", "weather", '{"a":1}');
    expect(known).toEqual(["1 2"]);
    expect(sent()).toEqual(["call_1 weather"]);
  });
});

describe("a turn of very many calls", () => {
  it("can be asked for again in any order, in linear time", () => {
    const count = 2_000;
    const record = Array.from({ length: count }, (_, n) => ({
      id: `c${n}`,
      upstreamId: `up-${n}`,
      name: "poll",
      input: String(n),
      round: 0,
      result: text(`of ${n}`, `c${n}`),
      isSettled: false,
    }));
    let prints = 0;
    const calls = new ClientCalls({
      newCallId: () => "new",
      record,
      fingerprint: (name, input) => {
        prints++;
        return `${name} ${input}`;
      },
    });
    const replies = repliesWith();
    const known: (string | undefined)[] = [];
    for (let n = count - 1; n >= 0; n--) {
      const asked = { execId: n + 1, upstreamId: `other-${n}`, name: "poll", input: String(n), askedMs: 0 };
      known.push(calls.ask(asked, replies)?.callId);
    }
    expect(replies.batch).toEqual([]);
    expect(known).toEqual(record.map(({ id }) => id).reverse());
    expect(prints).toBeLessThanOrEqual(4 * count);
  });

  it("ends with a clear error when the server asks for more at once than the limit", () => {
    const { calls, ask, sent } = setUp();
    const askMany = (round: number) => {
      for (let n = 0; n < MAX_CALLS_TOGETHER; n++) ask(`up-${round}-${n}`, "poll", String(n));
    };
    askMany(1);
    calls.onPause();
    askMany(2);
    expect(sent()).toHaveLength(2 * MAX_CALLS_TOGETHER);
    expect(() => ask("one more", "poll", "{}")).toThrow(`more than ${MAX_CALLS_TOGETHER} tool calls at once`);
  });
});

const waiting = (...ids: string[]) => ids.map((toolCallId) => JSON.stringify({ toolCallId, args: { text: "a b" } }));

it.each([
  { id: "call_1", texts: waiting("call_1", "call_2"), isPending: true },
  { id: "call_2", texts: waiting("call_1", "call_2"), isPending: true },
  { id: "call_1\nfc_2", texts: waiting("call_1\nfc_2"), isPending: true },
  { id: "functions.read:0", texts: waiting("functions.read:0"), isPending: true },
  { id: "call_1", texts: ["call_1"], isPending: true },
  { id: "call_1", texts: waiting("call_12"), isPending: false },
  { id: "functions.read:0", texts: waiting("functions.read:1"), isPending: false },
  { id: "call_1", texts: [], isPending: false },
])("$id is pending in $texts: $isPending", ({ id, texts, isPending }) => {
  expect(new PendingCalls(texts).has(id)).toBe(isPending);
});
