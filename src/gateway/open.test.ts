import { expect, it } from "vitest";
import { scriptedBackend, userTurn } from "../../testing/backends/scripted/index.js";
import { makeGateway, oneBackend } from "../../testing/gateway/make-gateway.js";
import type { Backend } from "../backends/backend.js";
import { newRecord } from "../events/index.js";
import { createCatalogue } from "../models/index.js";
import { collect } from "../turn/collect.js";
import { GatewayError } from "../turn/error.js";
import { type Batch, toCall } from "../turn/event.js";
import type { Message } from "../turn/turn.js";

const assistant = (id: string): Message => ({
  role: "assistant",
  content: [{ type: "call", id, name: "tool", input: "{}" }],
});
const said = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] });

function gatewayOn(backend: Backend, catalogue = createCatalogue({ fetchModels: backend.models })) {
  return makeGateway(backend, { backends: oneBackend({ backend, catalogue }) });
}

const runContext = () => ({ record: newRecord("g", "r", 0), signal: new AbortController().signal });
const result = (callId: string): Message => ({ role: "tool", results: [{ callId, content: [], isError: false }] });

const calls = (id: string): Batch => [
  ...toCall({ id, name: "tool", input: "{}" }),
  { type: "finish", reason: "tool-calls" },
];
const callsOne = calls("one");
const done: Batch = [
  { type: "text", delta: "done" },
  { type: "finish", reason: "stop" },
];
/** An answer with its checkpoint. */
const settled: Batch = [
  { type: "text", delta: "b" },
  { type: "checkpoint", state: Buffer.of(1), phase: "settled" },
  { type: "finish", reason: "stop" },
];

it.each([
  ["session_expired", "cold:expired"],
  ["blob_missing", "cold:blob-missing"],
] as const)("sends the whole transcript when the state is lost: %s", async (code, continuity) => {
  const lost = { fail: new GatewayError(code, "gone") };
  const backend = scriptedBackend({ steps: () => (backend.exchanges.length === 1 ? [lost] : [settled]) });
  const gateway = gatewayOn(backend);
  const asked = userTurn("a").messages;
  await collect((await gateway.run(userTurn("", { messages: asked }), runContext())).events);
  const messages = [...asked, said("b"), ...userTurn("c").messages];
  const reply = await gateway.run(userTurn("", { messages }), runContext());
  expect(reply.continuity).toBe(continuity);
  expect(backend.exchanges.map(({ context }) => context.state)).toEqual([undefined, Buffer.of(1), undefined]);
  expect(backend.exchanges.map(({ turn }) => turn.messages.length)).toEqual([1, 1, 3]);
  gateway.close();
});

it("sends the whole transcript when the waiting run is lost as it resumes", async () => {
  const nothingToSend: Batch = [{ type: "checkpoint", state: Buffer.of(1), phase: "staged" }];
  const lost = [callsOne, nothingToSend, { fail: new GatewayError("session_expired", "gone") }];
  const backend = scriptedBackend({
    steps: ({ messages }) => (messages.length === 1 ? lost : [done]),
  });
  const gateway = gatewayOn(backend);
  const asked = userTurn("a").messages;
  await collect((await gateway.run(userTurn("", { messages: asked }), runContext())).events);
  const messages = [...asked, assistant("one"), result("one")];
  const reply = await gateway.run(userTurn("", { messages }), runContext());
  expect([reply.continuity, (await collect(reply.events)).text]).toEqual(["cold:expired", "done"]);
  expect(backend.exchanges.map(({ turn }) => turn.messages.length)).toEqual([1, 3]);
  gateway.close();
});

it("does not look up the model again for results of a run that waits", async () => {
  const models = [
    { id: "a", name: "A", aliases: [], canThink: false },
    { id: "b", name: "B", aliases: [], canThink: false },
  ];
  const backend = scriptedBackend({ steps: [callsOne, done], models });
  const catalogue = createCatalogue({ fetchModels: backend.models });
  const resolved: string[] = [];
  const current: typeof catalogue.current = (asked) => {
    resolved.push(asked.model);
    return catalogue.current(asked);
  };
  const gateway = gatewayOn(backend, { ...catalogue, current });
  const ask = async (model: string, messages: readonly Message[]) => {
    const reply = await gateway.run(userTurn("", { model, messages }), runContext());
    await collect(reply.events);
    return [reply.model, reply.continuity];
  };
  const asked = userTurn("hi").messages;
  const answered = [...asked, assistant("one"), result("one")];
  await ask("a", asked);
  expect(await ask("a", answered)).toEqual(["a", "warm"]);
  expect(resolved).toEqual(["a"]);
  await ask("a", asked);
  expect(await ask("b", answered)).toEqual(["b", "warm"]);
  expect(resolved).toEqual(["a", "a", "b"]);
  gateway.close();
});

it("plans anew for results whose run was given to another request after it was found", async () => {
  const backend = scriptedBackend({
    steps: ({ messages }) => (messages.at(-1)?.role === "user" ? [callsOne, done] : [done]),
  });
  const gateway = gatewayOn(backend);
  const ask = async (messages: readonly Message[]) => {
    const reply = await gateway.run(userTurn("", { messages }), runContext());
    return [reply.continuity, (await collect(reply.events)).text];
  };
  // In a long conversation other requests run before the keys of its messages are computed.
  const history = Array.from({ length: 600 }, () => [...userTurn("a").messages, said("b")]).flat();
  const asked = [...history, ...userTurn("hi").messages];
  await ask(asked);
  const answered = [...asked, assistant("one"), result("one")];
  expect(await Promise.all([ask(answered), ask(answered)])).toEqual([
    ["warm", "done"],
    ["cold:raced", "done"],
  ]);
  expect(backend.exchanges.map(({ closedWith }) => closedWith)).toEqual([undefined, undefined]);
  gateway.close();
});

it("sends a transcript that a model can read, from the start and from a checkpoint", async () => {
  const backend = scriptedBackend({ steps: [settled] });
  const gateway = gatewayOn(backend);
  const ask = async (messages: readonly Message[]) =>
    collect((await gateway.run(userTurn("", { messages }), runContext())).events);
  const abandoned = [...userTurn("a").messages, assistant("one"), ...userTurn("never mind").messages];
  await ask(abandoned);
  await ask([...abandoned, said("b"), ...abandoned]);
  const roles = backend.exchanges.map(({ turn }) => turn.messages.map(({ role }) => role));
  expect(roles).toEqual(Array(2).fill(["user", "assistant", "tool", "user"]));
  expect(backend.exchanges[1]?.context.state).toEqual(Buffer.of(1));
  gateway.close();
});

it("keeps with a checkpoint the calls that it waits for, also those that were answered before the reply ended", async () => {
  const known = [{ id: "old", upstreamId: "up-old", name: "tool", input: "{}" }];
  const reply: Batch = [{ type: "checkpoint", state: Buffer.of(1), phase: "staged", calls: known }, ...calls("new")];
  const backend = scriptedBackend({ steps: [reply] });
  const gateway = gatewayOn(backend);
  const run = async (messages: Message[]) =>
    collect((await gateway.run(userTurn("", { messages }), runContext())).events);
  const before = [...userTurn("hi").messages, assistant("old"), result("old")];
  await run(before);
  backend.exchanges[0]?.close("lease-expired");
  await new Promise(setImmediate);
  await run([...before, assistant("new"), result("new")]);
  expect(backend.exchanges[1]?.turn.messages).toEqual([]);
  expect(backend.exchanges[1]?.context).toMatchObject({
    state: Buffer.of(1),
    record: [
      { id: "old", upstreamId: "up-old", isSettled: false },
      { id: "new", upstreamId: "new", isSettled: false },
    ],
  });
  gateway.close();
});
