import { expect, it } from "vitest";
import { createAttachments } from "../attachments/index.js";
import { scriptedBackend, userTurn } from "../backends/scripted/index.js";

import { systemClock } from "../clock.js";
import { createCatalogue } from "../models/index.js";
import { createMemoryStore } from "../store/index.js";
import { collect } from "../turn/collect.js";
import type { Batch } from "../turn/event.js";
import type { Message } from "../turn/turn.js";
import { createGateway } from "./gateway.js";

const assistant = (id: string): Message => ({
  role: "assistant",
  content: [{ type: "call", id, name: "tool", input: "{}" }],
});
const result = (callId: string): Message => ({ role: "tool", results: [{ callId, content: [], isError: false }] });

it("keeps with a checkpoint the calls that it waits for, also those that were answered before the reply ended", async () => {
  const calls = [{ id: "old", upstreamId: "up-old", name: "tool", input: "{}" }];
  const reply: Batch = [
    { type: "checkpoint", state: Buffer.of(1), phase: "staged", calls },
    { type: "call", id: "new", name: "tool", runs: "client" },
    { type: "call-input", id: "new", delta: "{}" },
    { type: "call-end", id: "new" },
    { type: "finish", reason: "tool-calls" },
  ];
  const backend = scriptedBackend({ steps: [reply] });
  const gateway = createGateway({
    backend,
    account: "me",
    catalogue: createCatalogue({ fetchModels: backend.models }),
    store: createMemoryStore({ now: Date.now }),
    attachments: createAttachments({ clock: systemClock }),
    settings: { leaseMs: 60_000, toolLoopMaxRepeat: 2, thinkTags: true, writtenCalls: true, cheapTitles: false },
    clock: systemClock,
  });
  const run = async (messages: Message[]) => {
    const context = { requestId: "r", caller: "", signal: new AbortController().signal };
    return collect((await gateway.run(userTurn("", { messages }), context)).events);
  };
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
