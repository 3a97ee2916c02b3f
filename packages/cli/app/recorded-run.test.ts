import { GatewayError } from "@curlew/gateway/turn/error.js";
import type { TurnEvents } from "@curlew/gateway/turn/event.js";
import { listen, type RequestRecord } from "@curlew/gateway/turn/events/channels.js";
import { expect, it, onTestFinished } from "vitest";
import { type ScriptStep, scriptedBackend, userTurn } from "../../../testing/backends/scripted/index.js";
import { makeGateway } from "../../../testing/gateway/make-gateway.js";
import { runRecorded } from "./recorded-run.js";

const gatewayId = "test";
const signal = new AbortController().signal;
const says = (delta: string): ScriptStep => [{ type: "text", delta }];

/** The records of a scripted turn whose events `read` consumes. */
async function recorded(steps: readonly ScriptStep[], read: (events: TurnEvents) => Promise<unknown>) {
  const ends: RequestRecord[] = [];
  const note = (record: RequestRecord) => void ends.push(record);
  const onEnd = { "curlew:request:finished": note, "curlew:request:failed": note };
  onTestFinished(listen(gatewayId, onEnd, () => {}));
  const gateway = makeGateway(scriptedBackend({ steps: () => steps }), { gatewayId });
  onTestFinished(() => gateway.close());
  const { events } = await runRecorded({ gateway, gatewayId }, userTurn("hi"), { client: "curlew ask", signal });
  await read(events).catch(() => {});
  return ends;
}

async function readAll(events: TurnEvents): Promise<void> {
  for await (const _batch of events);
}

it("ends when all events are read", async () => {
  const ends = await recorded([says("a"), [{ type: "finish", reason: "stop" }]], readAll);
  expect(ends).toMatchObject([{ outcome: "ok", client: "curlew ask", dialect: "command" }]);
});

it("ends with estimated usage when its reader stops early", async () => {
  const ends = await recorded([says("a"), says("b"), [{ type: "finish", reason: "stop" }]], async (events) => {
    for await (const _batch of events) break;
  });
  expect(ends).toMatchObject([{ outcome: "client-left", error: undefined, turnUsage: { estimated: true } }]);
});

it("ends when it fails", async () => {
  const ends = await recorded([says("a"), { fail: new GatewayError("timeout", "Late.") }], readAll);
  expect(ends).toMatchObject([{ outcome: "timeout", error: { code: "timeout" } }]);
});
