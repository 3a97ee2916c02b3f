import { describe, expect, it } from "vitest";
import { type Script, scriptedBackend, userTurn } from "../../../testing/backends/scripted/index.js";
import { turnsDuring } from "../../../testing/event-loop.js";
import { gate } from "../../../testing/gateway/asked-server.js";
import { gatewayOver, gatewaySettings, makeGateway, oneBackend } from "../../../testing/gateway/make-gateway.js";
import { called, callOf, runContext, stopped, text, tool, user } from "../../../testing/samples/sample-turns.js";
import { createCatalogue } from "../models/index.js";
import { createMemoryStore } from "../store/index.js";
import { collect } from "../turn/collect.js";
import { GatewayError } from "../turn/error.js";
import type { Batch } from "../turn/event.js";
import { RequestRecord } from "../turn/events/channels.js";
import type { Turn } from "../turn/turn.js";

const hello: Batch[] = [[text("Hello")], [text(" there"), stopped]];

const blindModel = { id: "blind", name: "Blind", aliases: [], canThink: false };

function setUp(script: Script) {
  const backend = scriptedBackend(script);
  const gateway = makeGateway(backend);
  const client = new AbortController();
  const run = (turn: Turn = userTurn("hi")) =>
    gateway.run(turn, { record: new RequestRecord("g", "r1", 0), signal: client.signal });
  return { backend, gateway, client, run };
}

describe("running a turn", () => {
  it("passes equal lists of tools to the backend as one object, so that it encodes them once", async () => {
    const { backend, run } = setUp({ steps: hello });
    const offer = () => [tool("tide")];
    for (const tools of [offer(), offer()]) await collect((await run(userTurn("hi", { tools }))).events);
    const [first, second] = backend.exchanges.map(({ turn }) => turn.tools);
    expect(first).toEqual(offer());
    expect(second).toBe(first);
  });

  it("lets other work run while it reads a long conversation", async () => {
    const { run } = setUp({ steps: hello });
    const asked = Array.from({ length: 2_000 }, () => user("x".repeat(2_048)));
    expect(await turnsDuring(() => run())).toBeLessThan(3);
    expect(await turnsDuring(() => run(userTurn("", { messages: asked })))).toBeGreaterThanOrEqual(16);
  });

  it("returns the backend, model and continuity, and every event", async () => {
    const { backend, run } = setUp({ steps: hello });
    const reply = await run();
    expect(reply).toMatchObject({ backend: "scripted", model: "auto", continuity: "cold:new", warnings: [] });
    expect(await collect(reply.events)).toMatchObject({ text: "Hello there", finish: "stop" });
    expect(backend.exchanges[0]).toMatchObject({
      turn: userTurn("hi"),
      context: { requestId: "r1", model: { id: "default" } },
    });
  });

  it("does not resolve before the first event", async () => {
    const { open, waitFor } = gate();
    const { run } = setUp({ steps: [{ waitFor }, ...hello] });
    let isResolved = false;
    const reply = run().then((value) => {
      isResolved = true;
      return value;
    });
    await new Promise(setImmediate);
    expect(isResolved).toBe(false);
    open();
    expect((await collect((await reply).events)).text).toBe("Hello there");
  });

  it("throws errors from before the first event, and passes on later ones", async () => {
    const fail = new GatewayError("overloaded", "Busy.");
    const overloaded = { code: "overloaded", message: "Busy." };
    await expect(setUp({ steps: [{ fail }] }).run()).rejects.toMatchObject(overloaded);
    const reply = await setUp({ steps: [[text("a")], { fail }] }).run();
    await expect(collect(reply.events)).rejects.toMatchObject(overloaded);
  });

  it("turns foreign errors into its own", async () => {
    const steps = function* (): Iterable<Batch> {
      yield [text("a")];
      throw new TypeError("oops");
    };
    const reply = await setUp({ steps }).run();
    await expect(collect(reply.events)).rejects.toMatchObject({ code: "server_error", cause: expect.any(TypeError) });
  });

  it("refuses an unknown model before anything is started", async () => {
    const { backend, run } = setUp({ steps: hello });
    await expect(run(userTurn("hi", { model: "nope" }))).rejects.toMatchObject({ code: "model_not_found" });
    expect(backend.exchanges).toHaveLength(0);
  });

  it.each([
    ["a model that cannot see images", { models: [{ ...blindModel, canSeeImages: false }] }],
    ["a backend that cannot pass images on", { models: [blindModel], can: { images: false } }],
  ])("gives %s a note instead of an image", async (_, script) => {
    const { backend, run } = setUp({ steps: hello, ...script });
    const image = { type: "image", mimeType: "image/png", data: Buffer.from("89504e470d0a1a0a", "hex") } as const;
    const { warnings } = await run(userTurn("", { model: "blind", messages: [{ role: "user", content: [image] }] }));
    expect(warnings).toEqual(["This model cannot see images; left out: 1."]);
    expect(backend.exchanges[0]?.turn.messages).toEqual([
      { role: "user", content: [{ type: "text", text: expect.stringContaining("cannot be seen") }] },
    ]);
  });

  it.each<[string, Partial<Turn>, string]>([
    ["a title", {}, "A title"],
    ["a title in a format", { format: { type: "json" } }, "{}"],
    ["a title with a stop sequence", { stop: ["."] }, "{}"],
    ["more than a title", { system: "You help." }, "{}"],
  ])("asks the model for %s when the cheap call cannot answer", async (_, rest, expected) => {
    const backend = scriptedBackend({ steps: [[text("{}"), stopped]] });
    const naming = { ...backend, nameConversation: () => Promise.resolve("A title") };
    const gateway = makeGateway(naming, { settings: { ...gatewaySettings, cheapTitles: true } });
    const system = "You are a title generator. Output only a short title for the conversation.";
    const reply = await gateway.run(userTurn("hi", { system, ...rest }), runContext());
    expect([reply.continuity, (await collect(reply.events)).text]).toEqual(["cold:new", expected]);
  });

  it("warns that tools are not offered when the backend has none", async () => {
    const turn = userTurn("hi", { warnings: ["Said before."], tools: [tool("t")] });
    const without = await setUp({ steps: hello, can: { tools: false } }).run(turn);
    expect(without.warnings).toEqual(["Said before.", expect.stringContaining("1 tools")]);
    const having = await setUp({ steps: hello }).run(turn);
    expect(having.warnings).toEqual(["Said before."]);
  });
});

describe("a client that leaves", () => {
  it("before the start starts nothing", async () => {
    const { backend, client, run } = setUp({ steps: hello });
    client.abort();
    await expect(run()).rejects.toMatchObject({ code: "canceled" });
    expect(backend.exchanges).toHaveLength(0);
  });

  it("before the first event closes the exchange", async () => {
    const { backend, client, run } = setUp({ steps: [{ waitFor: gate().waitFor }] });
    const reply = run();
    await new Promise(setImmediate);
    client.abort();
    await expect(reply).rejects.toMatchObject({ code: "canceled" });
    expect(backend.exchanges[0]?.closedWith).toBe("client-left");
  });

  it("in the middle closes the exchange", async () => {
    const { backend, client, run } = setUp({ steps: [[text("a")], { waitFor: gate().waitFor }] });
    const reply = await run();
    const rest = collect(reply.events);
    client.abort();
    await expect(rest).rejects.toMatchObject({ code: "canceled" });
    expect(backend.exchanges[0]?.closedWith).toBe("client-left");
  });

  it("after the end, or after an error, closes nothing", async () => {
    const { backend, client, run } = setUp({ steps: hello });
    await collect((await run()).events);
    const broken = setUp({ steps: [{ fail: new GatewayError("timeout", "x") }] });
    await expect(broken.run()).rejects.toThrow();
    client.abort();
    broken.client.abort();
    expect(backend.exchanges[0]?.closedWith).toBeUndefined();
    expect(broken.backend.exchanges[0]?.closedWith).toBeUndefined();
  });
});

describe("closing the gateway", () => {
  it("ends open exchanges with a clean error, leaves ended ones alone, and closes the backend", async () => {
    const { open, waitFor } = gate();
    const { backend, gateway, run } = setUp({
      steps: (turn) => (turn.system === "wait" ? [[text("a")], { waitFor }] : hello),
    });
    await collect((await run()).events);
    const rest = collect((await run(userTurn("hi", { system: "wait" }))).events);
    gateway.close();
    await expect(rest).rejects.toMatchObject({ code: "shutting_down" });
    expect(backend.exchanges.map(({ closedWith }) => closedWith)).toEqual([undefined, "shutdown"]);
    expect(backend.isClosed).toBe(true);
    open();
  });
});

describe("stopping everything", () => {
  it("ends running and waiting replies, and serves the next turn", async () => {
    const { open, waitFor } = gate();
    const call: Batch = [...callOf("a call"), called];
    const steps = { wait: [[text("a")], { waitFor }], call: [call], "": hello } as const;
    const { backend, gateway, run } = setUp({ steps: ({ system }) => [...steps[system as keyof typeof steps]] });
    await collect((await run(userTurn("hi", { system: "call" }))).events);
    const rest = collect((await run(userTurn("hi", { system: "wait" }))).events);
    expect(gateway.stop()).toEqual({ replies: 1, waiting: 1 });
    await expect(rest).rejects.toMatchObject({ code: "canceled", message: "The reply was given up before its end." });
    expect(backend.exchanges.map(({ closedWith }) => closedWith)).toEqual(["stopped", "stopped"]);
    expect(gateway.parkedRuns).toBe(0);
    expect(gateway.stop()).toEqual({ replies: 0, waiting: 0 });
    expect(await collect((await run()).events)).toMatchObject({ text: "Hello there" });
    open();
  });

  it("also ends a turn that has not begun its run yet", async () => {
    const { open, waitFor } = gate();
    const backend = scriptedBackend({ steps: hello, models: [blindModel] });
    const fetchModels = async (signal: AbortSignal) => {
      await waitFor();
      return backend.models(signal);
    };
    const gateway = gatewayOver(oneBackend({ backend, catalogue: createCatalogue({ fetchModels }) }));
    const run = () => gateway.run(userTurn("hi", { model: "blind" }), runContext());
    const early = run();
    expect(gateway.stop()).toEqual({ replies: 0, waiting: 0 });
    const late = run();
    open();
    await expect(early).rejects.toMatchObject({ code: "canceled" });
    expect(await collect((await late).events)).toMatchObject({ text: "Hello there" });
    expect(backend.exchanges.map(({ closedWith }) => closedWith)).toEqual(["stopped", undefined]);
  });
});

it("keeps texts only for the account and the key that they came from", () => {
  const { backend, gateway } = setUp({ steps: hello });
  const backends = oneBackend({ backend, catalogue: createCatalogue({ fetchModels: backend.models }) });
  const account = { account: "you", backends };
  const mine = gateway.textStore({ caller: "a" });
  mine.put("id", "text");
  const others = [gateway.textStore({ caller: "b" }), gateway.textStore({ caller: "a", account })];
  for (const other of others) expect([other.get("id"), other.delete("id")]).toEqual([undefined, false]);
  expect(gateway.textStore({ caller: "a" }).get("id")).toBe("text");
  expect([mine.delete("id"), mine.get("id"), mine.delete("id")]).toEqual([true, undefined, false]);
});

it("keeps a text as long as the newest one beside it", () => {
  const maxAgeMs = 1_000;
  let nowMs = 0;
  const store = createMemoryStore({ now: () => nowMs, maxAgeMs });
  const texts = makeGateway(scriptedBackend({ steps: hello }), { store }).textStore({ caller: "a" });
  texts.put("old", "text");
  texts.put("apart", "text");
  nowMs = maxAgeMs - 1;
  texts.put("new", "text", "old");
  store.sweep(maxAgeMs + 1);
  expect(["old", "new", "apart"].map((id) => texts.get(id))).toEqual(["text", "text", undefined]);
});

it("bounds the total size of the requests of runs that wait for results", async () => {
  let calls = 0;
  const steps = (): Batch[] => [[...callOf(`call ${++calls}`), called]];
  const { backend, gateway, client } = setUp({ steps });
  for (let count = 0; count < 3; count++) {
    const { record } = runContext();
    const context = { record: { ...record, bodyBytes: 60 * 1024 * 1024 }, signal: client.signal };
    const { events } = await gateway.run(userTurn(`question ${count}`), context);
    await collect(events);
  }
  expect([gateway.parkedRuns, gateway.runsLetGo]).toEqual([2, 1]);
  expect(backend.exchanges.map(({ closedWith }) => closedWith)).toEqual(["lease-expired", undefined, undefined]);
});

it("records question and answer, up to a limit, only if the owner wants it", async () => {
  const textsOf = async (answer: string, ledgerTexts: boolean) => {
    const backend = scriptedBackend({ steps: [[text(answer)], [text(" indeed"), stopped]] });
    const context = runContext();
    const gateway = makeGateway(backend, { settings: { ...gatewaySettings, ledgerTexts } });
    await collect((await gateway.run(userTurn("hi"), context)).events);
    return context.record.texts;
  };
  expect(await textsOf("hello", false)).toBeUndefined();
  expect(await textsOf("hello", true)).toEqual({ asked: "hi", answered: "hello indeed" });
  expect((await textsOf("x".repeat(10_000), true))?.answered).toHaveLength(4_000);
});
