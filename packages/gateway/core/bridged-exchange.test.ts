import { expect, it } from "vitest";
import { ScriptedExchange } from "../../../testing/backends/scripted/exchange.js";
import { startContext, userTurn } from "../../../testing/backends/scripted/index.js";
import { ManualClock } from "../../../testing/manual-clock.js";
import { called, callOf, stopped, tool } from "../../../testing/samples/sample-turns.js";
import type { Exchange } from "../backends/backend.js";
import { createMemoryStore } from "../store/index.js";
import type { CheckpointEvent } from "../turn/event.js";
import { createAttachments } from "./attachments/index.js";
import { BridgedExchange } from "./bridged-exchange.js";
import { keepResults } from "./kept-results.js";
import { LoopGuard } from "./tools/loop-guard.js";

const OURS = "mcp__mail__send";
const offer = {
  tools: [tool(OURS)],
  warnings: [],
  has: (name: string) => name === OURS,
};
const moved: CheckpointEvent = { type: "checkpoint", state: new Uint8Array(), phase: "staged", conversationId: "C" };

function setUp(inner: Exchange & { readonly answers: readonly unknown[] }) {
  const store = createMemoryStore({ now: () => 0 });
  let runs = 0;
  const finishing: (() => void)[] = [];
  const exchange = new BridgedExchange({
    clock: new ManualClock(),
    exchange: inner,
    offer: {
      ...offer,
      async run() {
        runs++;
        await new Promise<void>((resolve) => finishing.push(resolve));
        return { content: [{ type: "text", text: "sent" }], isError: false };
      },
    },
    guard: new LoopGuard(0),
    reader: createAttachments({ clock: new ManualClock() }).ofRequest({
      turn: { messages: [] },
      images: true,
      signal: new AbortController().signal,
    }),
    kept: keepResults(store, "o", { id: "A", lineage: "l" }),
    isResumed: false,
  });
  return {
    exchange,
    read: async () => {
      for await (const _ of exchange.events());
    },
    async finishTool() {
      for (const finish of finishing.splice(0)) finish();
      await expect.poll(() => inner.answers.length).toBe(runs);
    },
    /** The result that a run finds after a restart if the newest checkpoint names this id. */
    found: (formerId: string) =>
      keepResults(store, "o", { id: "D", formerId, lineage: "l" }).take({ id: "again", name: OURS, input: "{}" }),
  };
}

/** Calls one of our tools beside one of the client's. Its checkpoint comes when it is read again, or sooner. */
class MovedExchange extends ScriptedExchange {
  late: (checkpoint: CheckpointEvent) => void = () => {};

  constructor() {
    const next = [moved, ...callOf("2", "weather"), called];
    super(userTurn("go"), startContext(), [[...callOf("0", OURS), ...callOf("1", "weather"), called], next]);
  }

  override onLateCheckpoint(callback: (checkpoint: CheckpointEvent) => void): void {
    this.late = callback;
  }
}

it.each(["read", "unread"])("keeps results under the id of the newest checkpoint (%s)", async (how) => {
  for (const isSlow of [false, true]) {
    const inner = new MovedExchange();
    const { exchange, read, finishTool, found } = setUp(inner);
    exchange.onLateCheckpoint(() => {});
    await read();
    if (!isSlow) await finishTool();
    if (how === "read") await read();
    else inner.late(moved);
    if (isSlow) await finishTool();
    expect(found("A")).toBeUndefined();
    expect(found("C")).toMatchObject({ content: [{ type: "text", text: "sent" }] });
  }
});

it("removes the results when the turn ends, under any id", async () => {
  const inner = new ScriptedExchange(userTurn("go"), startContext(), [
    [...callOf("0", OURS), ...callOf("1", "weather"), called],
    [moved, stopped],
  ]);
  const { read, finishTool, exchange, found } = setUp(inner);
  await read();
  await finishTool();
  exchange.answer({ callId: "1", content: [], isError: false });
  await read();
  expect([found("A"), found("C")]).toEqual([undefined, undefined]);
});
