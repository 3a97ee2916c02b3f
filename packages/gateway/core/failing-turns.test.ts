import { expect, it } from "vitest";
import { type ScriptStep, scriptedBackend, userTurn } from "../../../testing/backends/scripted/index.js";
import { makeGateway } from "../../../testing/gateway/make-gateway.js";
import { ManualClock } from "../../../testing/manual-clock.js";
import {
  assistant,
  called,
  callOf,
  results,
  runContext,
  stopped,
  text,
  user,
} from "../../../testing/samples/sample-turns.js";
import { collect } from "../turn/collect.js";
import { GatewayError } from "../turn/error.js";
import type { Batch } from "../turn/event.js";
import type { Turn } from "../turn/turn.js";

const fail: ScriptStep = { fail: new GatewayError("upstream_error", "Cursor failed.", { isRetryable: true }) };
const answer: Batch = [text("Hello"), stopped];
const call: Batch = [...callOf("one"), called];
const messages = [user("hi"), assistant("", "one"), results("one")];

/** Each run plays the next of the scripts. */
function setUp(...scripts: ScriptStep[][]) {
  const clock = new ManualClock();
  const backend = scriptedBackend({ steps: () => scripts[backend.exchanges.length] ?? [fail] });
  const gateway = makeGateway(backend, { clock });
  const ask = async (turn: Turn = userTurn("hi"), signal = new AbortController().signal) => {
    const reply = await gateway.run(turn, { ...runContext(), signal });
    return (await collect(reply.events)).text;
  };
  return { clock, backend, gateway, ask };
}

it("asks Cursor once for a failing turn, and once more without retries after the hold", async () => {
  const { clock, backend, gateway, ask } = setUp([fail], [fail], [answer], [answer]);
  await expect(ask()).rejects.toMatchObject({ isFromBreaker: false, retryAfterMs: 2_000 });
  await expect(ask()).rejects.toMatchObject({ code: "upstream_error", isFromBreaker: true });
  clock.advance(2_000);
  await expect(ask()).rejects.toMatchObject({ isFromBreaker: false, retryAfterMs: 4_000 });
  clock.advance(4_000);
  expect([await ask(), await ask()]).toEqual(["Hello", "Hello"]);
  const retries = backend.exchanges.map(({ context }) => context.maxRetries);
  expect(retries).toEqual([3, 0, 0, 3]);
  await gateway.close();
});

it("holds a request whose answer broke off in the middle", async () => {
  const { backend, gateway, ask } = setUp([[text("Hel")], fail]);
  await expect(ask()).rejects.toMatchObject({ isFromBreaker: false, retryAfterMs: 2_000 });
  await expect(ask()).rejects.toMatchObject({ isFromBreaker: true });
  expect(backend.exchanges).toHaveLength(1);
  await gateway.close();
});

it("does not count a failure after a complete answer against the request", async () => {
  const { backend, gateway, ask } = setUp([answer, fail], [answer]);
  await expect(ask()).rejects.toMatchObject({ retryAfterMs: undefined });
  expect(await ask()).toBe("Hello");
  expect(backend.exchanges).toHaveLength(2);
  await gateway.close();
});

it("serves a repeated request after the first client has left", async () => {
  const { backend, gateway, ask } = setUp([{ waitFor: () => new Promise(() => {}) }], [answer]);
  const client = new AbortController();
  const left = ask(userTurn("hi"), client.signal);
  await expect.poll(() => backend.exchanges.length).toBe(1);
  client.abort();
  await expect(left).rejects.toMatchObject({ code: "canceled" });
  expect(await ask()).toBe("Hello");
  await gateway.close();
});

it("hands results to the waiting run despite earlier failures", async () => {
  const { clock, gateway, ask } = setUp([fail], [call, answer]);
  await expect(ask()).rejects.toThrow("Cursor failed.");
  clock.advance(2_000);
  expect(await ask()).toBe("");
  expect(await ask(userTurn("", { messages }))).toBe("Hello");
  await gateway.close();
});

it("does not count the failure of a waiting run against the request that brought results", async () => {
  const between: Batch = [{ type: "checkpoint", state: Buffer.of(1), phase: "staged" }];
  const { backend, gateway, ask } = setUp([call, between, fail], [answer]);
  await ask();
  const results = userTurn("", { messages });
  await expect(ask(results)).rejects.toMatchObject({ isFromBreaker: false, retryAfterMs: undefined });
  expect(await ask(results)).toBe("Hello");
  expect(backend.exchanges).toHaveLength(2);
  await gateway.close();
});
