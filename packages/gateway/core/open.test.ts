import { expect, it } from "vitest";
import { scriptedBackend, userTurn } from "../../../testing/backends/scripted/index.js";
import { makeGateway, oneBackend } from "../../../testing/gateway/make-gateway.js";
import {
  assistant,
  called,
  callOf,
  results,
  runContext,
  settled,
  stopped,
  text,
  user,
} from "../../../testing/samples/sample-turns.js";
import type { Backend } from "../backends/backend.js";
import { createCatalogue } from "../models/index.js";
import { collect } from "../turn/collect.js";
import { GatewayError } from "../turn/error.js";
import type { Batch } from "../turn/event.js";
import type { Message } from "../turn/turn.js";

function gatewayOn(backend: Backend, catalogue = createCatalogue({ fetchModels: backend.models })) {
  return makeGateway(backend, { backends: oneBackend({ backend, catalogue }) });
}

const callsOne: Batch = [...callOf("one"), called];
const done: Batch = [text("done"), stopped];
/** An answer with its checkpoint. */
const answered: Batch = [text("b"), settled, stopped];

it.each([
  ["session_expired", "cold:expired"],
  ["blob_missing", "cold:blob-missing"],
] as const)("sends the whole transcript when the state is lost: %s", async (code, continuity) => {
  const lost = { fail: new GatewayError(code, "gone") };
  const backend = scriptedBackend({ steps: () => (backend.exchanges.length === 1 ? [lost] : [answered]) });
  const gateway = gatewayOn(backend);
  const asked = [user("a")];
  await collect((await gateway.run(userTurn("", { messages: asked }), runContext())).events);
  const messages = [...asked, assistant("b"), user("c")];
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
  const asked = [user("a")];
  await collect((await gateway.run(userTurn("", { messages: asked }), runContext())).events);
  const messages = [...asked, assistant("", "one"), results("one")];
  const reply = await gateway.run(userTurn("", { messages }), runContext());
  expect([reply.continuity, (await collect(reply.events)).text]).toEqual(["cold:expired", "done"]);
  expect(backend.exchanges.map(({ turn }) => turn.messages.length)).toEqual([1, 3]);
  gateway.close();
});

it("does not look up the model again for results of a waiting run", async () => {
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
  const asked = [user("hi")];
  const withResult = [...asked, assistant("", "one"), results("one")];
  await ask("a", asked);
  expect(await ask("a", withResult)).toEqual(["a", "warm"]);
  expect(resolved).toEqual(["a"]);
  await ask("a", asked);
  expect(await ask("b", withResult)).toEqual(["b", "warm"]);
  expect(resolved).toEqual(["a", "a", "b"]);
  gateway.close();
});

it("gives a run to only one of two simultaneous requests with its results", async () => {
  const backend = scriptedBackend({
    steps: ({ messages }) => (messages.at(-1)?.role === "user" ? [callsOne, done] : [done]),
  });
  const gateway = gatewayOn(backend);
  const ask = async (messages: readonly Message[]) => {
    const reply = await gateway.run(userTurn("", { messages }), runContext());
    return [reply.continuity, (await collect(reply.events)).text];
  };
  // A long conversation lets other requests run before its keys are computed.
  const history = Array.from({ length: 600 }, () => [user("a"), assistant("b")]).flat();
  const asked = [...history, user("hi")];
  await ask(asked);
  const withResult = [...asked, assistant("", "one"), results("one")];
  expect(await Promise.all([ask(withResult), ask(withResult)])).toEqual([
    ["warm", "done"],
    ["cold:raced", "done"],
  ]);
  expect(backend.exchanges.map(({ closedWith }) => closedWith)).toEqual([undefined, undefined]);
  gateway.close();
});

it("sends a transcript that a model can read, from the start and from a checkpoint", async () => {
  const backend = scriptedBackend({ steps: [answered] });
  const gateway = gatewayOn(backend);
  const ask = async (messages: readonly Message[]) =>
    collect((await gateway.run(userTurn("", { messages }), runContext())).events);
  const abandoned = [user("a"), assistant("", "one"), user("never mind")];
  await ask(abandoned);
  await ask([...abandoned, assistant("b"), ...abandoned]);
  const roles = backend.exchanges.map(({ turn }) => turn.messages.map(({ role }) => role));
  expect(roles).toEqual(Array(2).fill(["user", "assistant", "tool", "user"]));
  expect(backend.exchanges[1]?.context.state).toEqual(Buffer.of(1));
  gateway.close();
});

it("stores the calls that a checkpoint waits for, also those answered before the reply ended", async () => {
  const known = [{ id: "old", upstreamId: "up-old", name: "tool", input: "{}" }];
  const reply: Batch = [
    { type: "checkpoint", state: Buffer.of(1), phase: "staged", calls: known },
    ...callOf("new"),
    called,
  ];
  const backend = scriptedBackend({ steps: [reply] });
  const gateway = gatewayOn(backend);
  const run = async (messages: Message[]) =>
    collect((await gateway.run(userTurn("", { messages }), runContext())).events);
  const before = [user("hi"), assistant("", "old"), results("old")];
  await run(before);
  backend.exchanges[0]?.close("lease-expired");
  await new Promise(setImmediate);
  await run([...before, assistant("", "new"), results("new")]);
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
